/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters: the values of an event as lines, below the lanes of their image.
 *
 * Each line begins at 0.  It joins two values only if the second one came when it was due: in
 * between, nobody counted.
 */

const COUNTER_HEIGHT = 34;
const COUNTER_DUE = 1.5e9;	/* ns */
const COUNTER_ROOM = 6;		/* pixels between values that are drawn as points, too */

function sizeText(bytes, digits) {
	const units = [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']];
	const unit = units.find(u => bytes >= u[0]) ?? [1, 'bytes'];
	return `${+(bytes / unit[0]).toPrecision(digits)} ${unit[1]}`;
}

const counterText = (counter, value, digits = 4) => isNaN(value) ? 'not known' :
	counter.bytes ? sizeText(value * counter.bytes, digits) : count(value);

function addCounters(i, list) {
	const { counters } = imageOf(i);
	const values = valuesOf(i);
	list.forEach(([label, bytes], k) => {
		const value = Number(values[k][1]);
		let counter = counters.find(c => c.label === label);
		if (!counter)
			counters.push(counter = { label, bytes, rows: [], values: [], most: 0 });
		counter.rows.push(i);
		counter.values.push(value >= 0 && value < 2 ** 63 ? value : NaN);
		counter.most = Math.max(counter.most, counter.values.at(-1) || 0);
	});
}

function makeCounters() {
	for (const image of images)
		image.counters = [];
	for (let i = 0; i < rows.nr; i++) {
		const list = rows.log[i] ? null : siteOf(i)?.counters;
		if (list)
			addCounters(i, list);
	}
	return images.flatMap(m => m.counters);
}
const counters = makeCounters();

/* Make the labels of an image's counters, from the height y on; return where they end. */
function layOutCounters(image, y) {
	for (const counter of image.counters) {
		const known = counter.values.some(value => !isNaN(value));
		const last = counter.values.at(-1), most = counterText(counter, counter.most, 3);
		const label = make('div', { className: 'counter' },
			make('span', { textContent: counter.label }),
			make('small', {}, counterText(counter, last, 3),
				make('span', { className: 'max', textContent: known ? `, max ${most}` : '' })));
		label.style.height = `${COUNTER_HEIGHT}px`;
		label.title = `${counter.label}: ${counterText(counter, last)} at ` +
			timeText(counter.rows.at(-1)) + (known ? `; the line is from 0 to ${most}` : '');
		$('labels').append(label);
		Object.assign(counter, { y, height: COUNTER_HEIGHT });
		y += COUNTER_HEIGHT;
	}
	return y;
}

/* Where a value is, in pixels */
function counterPoint(counter, k, width) {
	const room = counter.height - 10;
	return {
		x: xOf(rows.time[counter.rows[k]], width),
		y: counter.y + 5 + room * (1 - counter.values[k] / (counter.most || 1)),
	};
}

/* Is a value joined to the one before? */
function isJoined(counter, k) {
	return k > 0 && !isNaN(counter.values[k - 1]) &&
		rows.time[counter.rows[k]] - rows.time[counter.rows[k - 1]] <= COUNTER_DUE;
}

/* Draw the line.  Of values that share a pixel, it goes through the least and the largest. */
function drawCounter(to, counter, width) {
	const from = Math.max(lowerBound(counter.rows, timeOf(view.from)) - 1, 0);
	const end = Math.min(lowerBound(counter.rows, timeOf(view.to)) + 1, counter.rows.length);
	let before = -Infinity, pixel = null, points = 0;
	const draw = (x, y, joined) => {
		points++;
		if (joined)
			to.lineTo(x, y);
		else
			to.moveTo(x, y);
	};
	const finish = () => {
		if (pixel && pixel.low !== pixel.high)
			for (const y of [pixel.low, pixel.high, pixel.last])
				draw(pixel.x, y, true);
	};
	to.fillStyle = theme.line;
	to.fillRect(0, counter.y + counter.height - 1, width, 1);
	to.strokeStyle = to.fillStyle = theme.accent;
	to.lineWidth = 1.5;
	to.beginPath();
	for (let k = from; k < end; k++) {
		if (isNaN(counter.values[k]))
			continue;
		const { x, y } = counterPoint(counter, k, width), joined = isJoined(counter, k);
		const alone = !joined && !(k + 1 < end && isJoined(counter, k + 1));
		if (joined && pixel && Math.floor(x) === Math.floor(pixel.x)) {
			pixel.low = Math.min(pixel.low, y);
			pixel.high = Math.max(pixel.high, y);
			pixel.last = y;
			continue;
		}
		finish();
		pixel = { x, low: y, high: y, last: y };
		draw(x, y, joined);
		if (x - before >= COUNTER_ROOM || alone)
			to.fillRect(x - 2, y - 2, 4, 4);
		before = x;
	}
	finish();
	to.stroke();
	return points;
}

/* What a counter says at a row */
const counterAt = (counter, i) =>
	`${counter.label}: ${counterText(counter, counter.values[lowerIndex(counter.rows, i)])}`;
