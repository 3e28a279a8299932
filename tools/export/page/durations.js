/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Durations: events that begin and end something.  They are bars behind the events in the lane of
 * their CPU or task, or of requests, an inner one above an outer one.
 */

const OPEN = -2;		/* no other half: it had not ended */
const BAR_STEP = 4;		/* pixels that an inner bar is lower */
const BARS_MOST = 5;		/* bars within bars that are drawn */

/* The row of each event of an image */
function rowsOfEvents() {
	const places = images.map(m => new Uint32Array(m.events.nr));
	for (let i = 0; i < rows.nr; i++)
		if (!rows.log[i])
			places[rows.image[i]][rows.index[i]] = i;
	return places;
}

/* Put a bar into the list of its depth.  Those that come later begin later. */
function addBar(lane, begin, end) {
	const reaches = end < 0 ? Infinity : end;
	let depth = 0;
	if (!lane)
		return;
	while (depth < lane.bars.length && lane.bars[depth].until > begin)
		depth++;
	if (depth === BARS_MOST) {
		lane.undrawn = (lane.undrawn ?? 0) + 1;
		return;
	}
	if (depth === lane.bars.length)
		lane.bars.push({ begin: [], end: [], until: -1 });
	const bars = lane.bars[depth];
	bars.begin.push(begin);
	bars.end.push(end);
	bars.until = reaches;
}

for (const image of images)
	image.requests = { image, label: 'disk requests', all: new Set() };
const allLanes = [...lanes, ...tasks, ...images.map(m => m.requests)];

/* The lanes that have a row: of its CPU, its task, and of requests */
function lanesOf(i) {
	const list = [lanes[rows.lane[i]]];
	if (rows.task[i] >= 0)
		list.push(tasks[rows.task[i]]);
	if (imageOf(i).requests.all.has(i))
		list.push(imageOf(i).requests);
	return list;
}

/* The lane of a pair that belongs to a CPU (0), a thread (1) or neither (2) */
const laneOfPair = (begin, owner) => owner === 0 ? lanes[rows.lane[begin]] :
	owner === 1 ? tasks[rows.task[begin]] : imageOf(begin).requests;

/* For each row the row of its other half, -1 if it has none, OPEN if it had not ended. */
function makeDurations(places) {
	const list = [];
	rows.other = new Int32Array(rows.nr).fill(-1);
	rows.group = new Int8Array(rows.nr).fill(-1);
	for (const lane of allLanes)
		Object.assign(lane, { bars: [], runs: { begin: [], end: [], state: [], tid: [] } });
	for (const image of images) {
		for (const [at, length, owner, group] of image.pairs) {
			const begin = places[image.number][at];
			const end = length === null ? OPEN : places[image.number][at + length];
			rows.other[begin] = end;
			rows.group[begin] = group;
			if (end >= 0)
				rows.other[end] = begin;
			if (owner === 2)
				image.requests.all.add(begin).add(end);
			list.push([begin, owner]);
		}
		delete image.pairs;
	}
	for (const [begin, owner] of list.sort((a, b) => a[0] - b[0]))
		addBar(laneOfPair(begin, owner), begin, rows.other[begin]);
}
const places = rowsOfEvents();
makeDurations(places);

/* What "jtrace why" says of an image: up to when it judges */
const judgedOf = image => image.why.find(o => o.type === 'why');

/* How long something is known to have run that had not ended: up to that moment, or its begin */
function openUntil(begin) {
	const image = imageOf(begin), judged = judgedOf(image)?.as_of_ns ?? image.last;
	return Math.max(relative(image, BigInt(judged)), rows.time[begin]);
}

const endTime = (bars, k) =>
	bars.end[k] >= 0 ? rows.time[bars.end[k]] : openUntil(bars.begin[k]);

/* The first bar of a list that ends at this time or later */
function firstBar(bars, time) {
	let low = 0, high = bars.begin.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (endTime(bars, mid) < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Call draw(index, x, end) for the bars that are seen, about one for each pixel; return how many. */
function eachBar(bars, width, draw) {
	const last = timeOf(view.to);
	let k = firstBar(bars, timeOf(view.from)), drawn = 0;
	while (k < bars.begin.length && rows.time[bars.begin[k]] <= last) {
		const from = Math.max(xOf(rows.time[bars.begin[k]], width), -1);
		const end = Math.min(xOf(endTime(bars, k), width), width + 1);
		draw(k, from, Math.max(end, from + 1));
		drawn++;
		/* The next one that is seen beside it, and the last one, which may be open */
		const next = firstBar(bars, timeOf(view.from +
			(Math.floor(Math.max(from, end - 1)) + 1) * (view.to - view.from) / width));
		k = Math.max(k + 1, Math.min(next, bars.begin.length - 1));
	}
	return drawn;
}

/* Draw the bars of a lane; return how many. */
function drawBars(to, lane, width) {
	const room = lane.height - lane.strip;
	let drawn = 0;
	to.globalAlpha = .3;
	lane.bars.forEach((bars, depth) => {
		const top = lane.y + 3 + depth * BAR_STEP, height = room - 6 - depth * BAR_STEP;
		if (height < 2)
			return;
		drawn += eachBar(bars, width, (k, x, end) => {
			to.fillStyle = bars.end[k] < 0 ? theme.bad : theme.task[colourOf(bars.begin[k])];
			to.fillRect(x, top, end - x, height);
		});
	});
	to.globalAlpha = 1;
	return drawn;
}

/* "12.3 µs", from the begin to the end; of what had not ended, as far as it is known */
function durationOf(i) {
	const other = rows.other[i];
	const ns = other >= 0 ? Math.abs(Number(exactOf(other) - exactOf(i))) :
		openUntil(i) - rows.time[i];
	return duration(ns, 15);
}

/* [name, text] for the details; null if the row begins and ends nothing */
function durationFact(i) {
	const other = rows.other[i];
	if (other === -1)
		return null;
	if (other === OPEN)
		return ['Not ended', `for ${durationOf(i)}: ${judgedOf(imageOf(i))?.as_of ?? 'its last event'}`];
	return [other > i ? 'Took' : 'It took', durationOf(i)];
}

function goToOther() {
	if (state.selected >= 0)
		select(rows.other[state.selected]);
}
