/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lanes: marks of events in time, the ruler, and an overview of the whole trace.
 *
 * The work of drawing depends on pixels, not on events: for each pixel with events, a binary search
 * finds the first event of the next pixel.
 */

const RULER = 22, OVERVIEW = 26;	/* heights of the two parts of the canvas on top */
const SAMPLES = 3;		/* colours that a pixel shows at the most */
const FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const CANVAS_MOST = 32000;	/* pixels that a browser draws, from top to bottom */
const LABEL_ROOM = 64;		/* pixels that a mark needs to have its tag beside it */

/*
 * The state of the page.  `shown` are the rows that pass the filters, `hits` those of them that
 * the search found; both in order.  `band` is the time of the rows that the table shows.  `called`
 * are the stacks that pass the filter, null for all; `open` and `marks` are rows.  `hidden` are
 * numbers of kinds, tasks and contexts; -1: rows that have none.
 */
const state = {
	shown: new Uint32Array(0), hits: new Uint32Array(0), isHit: new Uint8Array(rows.nr),
	lanes: new Set(), tasks: new Set(), taskLanes: 'few', selected: -1, band: [0, 0],
	called: null, open: new Set(), marks: [],
	hidden: { kind: new Set(), task: new Set(), context: new Set() },
};
/* The part of the axis that is shown, and all of it */
const whole = wholeView();
const view = { ...whole };
let theme = {};

/* The first place in the sorted list of rows whose time is not less. */
function lowerBound(list, time, low = 0) {
	let high = list.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (rows.time[list[mid]] < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Put the rows that pass the filters into lists. */
function applyFilters() {
	const { lanes: wantLanes, tasks: wantTasks, called: wantStacks } = state;
	const { kind, task, context } = state.hidden, hidden = kind.size + task.size + context.size;
	const passes = i => (!wantLanes.size || wantLanes.has(rows.lane[i])) &&
		(!wantTasks.size || wantTasks.has(rows.task[i])) &&
		(!hidden || !(kind.has(rows.kind[i]) || task.has(rows.task[i]) ||
			context.has(rows.context[i]))) &&
		(!wantStacks || wantStacks.has(stackOf(i)));
	state.shown = Uint32Array.from({ length: rows.nr }, (_, i) => i);
	if (wantLanes.size || wantTasks.size || hidden || wantStacks)
		state.shown = state.shown.filter(passes);
	for (const lane of allLanes)
		lane.rows = [];
	for (const i of state.shown)
		for (const lane of lanesOf(i))
			lane.rows.push(i);
}

/* ---- The part of time that is shown ---- */

function setView(from, to) {
	const most = whole.to - whole.from;
	const span = Math.min(Math.max(to - from, LEAST_SPAN), most);
	if (to - from < LEAST_SPAN)
		from = (from + to - span) / 2;
	view.from = Math.min(Math.max(from, whole.from), whole.to - span);
	view.to = view.from + span;
	drawSoon();
}

/* Zoom, and keep the time that is at this part of the width, 0 to 1, in its place. */
function zoom(factor, at = .5) {
	const span = view.to - view.from;
	const next = Math.min(Math.max(span * factor, LEAST_SPAN), whole.to - whole.from);
	const time = view.from + span * at;
	setView(time - next * at, time - next * at + next);
}

function pan(part) {
	const step = (view.to - view.from) * part;
	setView(view.from + step, view.to + step);
}

/* Where to zoom by keys: at the selected row if it is there, else in the middle. */
function focusPart() {
	const at = state.selected < 0 ? -1 :
		(axisOf(rows.time[state.selected]) - view.from) / (view.to - view.from);
	return at >= 0 && at <= 1 ? at : .5;
}

/* Show the time of a row; if it is outside, in the middle. */
function showTime(time) {
	const half = (view.to - view.from) / 2, at = axisOf(time);
	if (at < view.from || at > view.to)
		setView(at - half, at + half);
}

const showTimes = (from, to) => setView(axisOf(from), axisOf(to));

/* ---- Sizes ---- */

const canvas = $('marks'), top2 = $('ruler');

/* How long before the end of the image, or its panic, the last event of a CPU was. */
const endOf = image => relative(image, image.panic ?? image.end);
function lastText(lane) {
	if (lane.cpu < 0)
		return '';
	const before = endOf(lane.image) - rows.time[lane.last];
	return before > 0 ? `−${duration(before, 3)}` : 'at the end';
}

function laneTitle(lane) {
	const name = several ? `${lane.label} of trace ${lane.image.number + 1}` : lane.label;
	if (!lastText(lane))
		return name;
	const end = lane.image.panic === undefined ? 'end' : 'panic';
	return `${name}: last event at ${timeText(lane.last)}, ` +
		lastText(lane).replace(/^−(.*)/, `$1 before the ${end}`);
}

/* Put a lane at a height; below its events, it says what tasks did.  Return where it ends. */
function place(lane, y, height) {
	lane.strip = lane.runs.begin.length ? STRIP : 0;
	Object.assign(lane, { y, height: height + lane.strip });
	return y + lane.height;
}

/* Heights of lanes and of the titles of images, top to bottom. */
function layOut() {
	const height = lanes.length <= 8 ? 30 : lanes.length <= 12 ? 24 : 18;
	let y = 0;
	$('labels').replaceChildren();
	for (const image of images) {
		if (several) {
			const text = `${image.number + 1}: ${image.release || image.file}`;
			const title = make('div', { className: 'boot', textContent: text });
			title.title = image.file;
			title.style.cssText = 'height:22px;line-height:22px';
			$('labels').append(title);
			image.top = y;
			y += 22;
		}
		for (const number of image.lane.values()) {
			const lane = lanes[number];
			const button = make('button', {}, make('span', { textContent: lane.label }),
				make('small', { textContent: lastText(lane) }));
			y = place(lane, y, height);
			button.style.cssText = `height:${lane.height}px;line-height:${lane.height}px`;
			button.setAttribute('aria-pressed', state.lanes.has(number));
			button.title = laneTitle(lane);
			button.onclick = () => toggle(state.lanes, number, button);
			$('labels').append(button);
		}
		y = layOutTasks(image, y, height);
		y = layOutCounters(image, y);
		image.bottom = y;
	}
	return y;
}

/* Give a canvas the pixels of the screen; return its context, with a unit of CSS pixels. */
function fit(el, height) {
	const ratio = Math.min(window.devicePixelRatio || 1, CANVAS_MOST / height);
	const width = el.parentElement.clientWidth - $('labels').offsetWidth;
	if (el.width !== Math.round(width * ratio) || el.height !== Math.round(height * ratio)) {
		el.width = Math.round(width * ratio);
		el.height = Math.round(height * ratio);
		el.style.height = `${height}px`;
	}
	const to = el.getContext('2d');
	to.setTransform(ratio, 0, 0, ratio, 0, 0);
	to.clearRect(0, 0, width, height);
	to.font = FONT;
	to.textBaseline = 'middle';
	return { to, width, height };
}

/* Colours come from the style sheet, which knows light and dark. */
function readTheme() {
	const style = getComputedStyle(document.documentElement);
	const get = name => style.getPropertyValue('--' + name).trim();
	theme = Object.fromEntries(['back', 'panel', 'ink', 'dim', 'line', 'accent', 'bad', 'warn',
		'hit-mark', 'band'].map(n => [n, get(n)]));
	theme.task = Array.from({ length: COLOURS + 1 }, (_, i) => get(`task-${i}`));
	theme.level = i => i <= 3 ? theme.bad : i === 4 ? theme['hit-mark'] : theme.task[COLOURS];
}

/* ---- Drawing ---- */

/*
 * Call draw(x, list index of the first row, number of rows, pixels to the next mark) for each pixel
 * with rows of the list.
 */
function eachPixel(list, width, draw) {
	const scale = width / (view.to - view.from), end = timeOf(view.to);
	let i = lowerBound(list, timeOf(view.from));
	while (i < list.length && rows.time[list[i]] <= end) {
		const x = Math.floor(xOf(rows.time[list[i]], width));
		const after = timeOf(view.from + (x + 1) / scale);
		const next = Math.max(lowerBound(list, after, i), i + 1);
		const gap = next < list.length ? xOf(rows.time[list[next]], width) - x : 1e9;
		draw(x, i, next - i, gap);
		i = next;
	}
}

/* A text that fits so many pixels */
function cut(to, text, room) {
	const chars = Array.from(text.slice(0, 100));
	const width = to.measureText(chars.join('')).width;
	let most = Math.floor(chars.length * room / width);
	if (width <= room)
		return chars.join('');
	while (most > 3 && to.measureText(`${chars.slice(0, most).join('')}…`).width > room)
		most--;
	return most < 4 ? '' : `${chars.slice(0, most).join('')}…`;
}

function drawLane(to, lane, width) {
	const list = lane.rows, high = lane.height - lane.strip, y = lane.y + 4, height = high - 8;
	let marks = 0;
	const colour = i => rows.log[i] ? theme.level(lineOf(i)[1]) : theme.task[colourOf(i)];
	eachPixel(list, width, (x, first, nr, gap) => {
		const samples = Math.min(nr, SAMPLES);
		const sample = k => colour(list[first + Math.floor(k * nr / samples)]);
		const edge = k => y + Math.round(k * height / samples);
		const wide = gap >= 6 ? 3 : gap >= 3 ? 2 : 1;
		for (let k = 0, end; k < samples; k = end) {
			const fill = sample(k);
			for (end = k + 1; end < samples && sample(end) === fill;)
				end++;
			to.fillStyle = fill;
			to.fillRect(x, edge(k), wide, edge(end) - edge(k));
			marks++;
		}
		if (gap >= LABEL_ROOM && nr === 1) {
			const room = Math.min(gap, width - x, 420) - 12;
			to.fillStyle = theme.ink;
			to.fillText(cut(to, whatOf(list[first]), room), x + 7,
				lane.y + high / 2 + 1);
		}
	});
	to.fillStyle = theme['hit-mark'];
	eachPixel(lane.hits, width, x => {
		to.fillRect(x - 1, lane.y + high - 4, 4, 3);
		marks++;
	});
	return marks;
}

const xOf = (time, width) => (axisOf(time) - view.from) / (view.to - view.from) * width;

/* A triangle above the last event of a CPU. */
function drawLast(to, lane, width) {
	if (lane.last === undefined || lane.cpu < 0)
		return;
	const x = Math.floor(xOf(rows.time[lane.last], width)) + 1;
	if (x < -5 || x > width + 5)
		return;
	to.fillStyle = theme.ink;
	to.beginPath();
	to.moveTo(x - 5, lane.y + 1);
	to.lineTo(x + 5, lane.y + 1);
	to.lineTo(x, lane.y + 8);
	to.fill();
}

/* A line through the lanes of the image */
function drawPanicLine(to, image, x) {
	to.strokeStyle = theme.bad;
	to.lineWidth = 1.5;
	to.setLineDash([5, 3]);
	to.beginPath();
	to.moveTo(x, several ? image.top : 0);
	to.lineTo(x, image.bottom);
	to.stroke();
	to.setLineDash([]);
}

/* The panics that are seen, with room for a word of each on the ruler, side by side */
function placePanics(above, width) {
	const list = images.filter(m => m.panic !== undefined).map(image => {
		const text = several ? `panic ${image.number + 1}` : 'panic';
		const x = xOf(panics[image.number], width);
		const room = above.measureText(text).width + 8;
		return { image, text, x, room, left: x - room / 2 };
	}).filter(p => p.x >= 0 && p.x <= width).sort((a, b) => a.x - b.x);
	let end = 0;
	for (const p of list) {
		p.left = Math.max(p.left, end);
		end = p.left + p.room + 2;
	}
	end = width;
	for (const p of list.reverse()) {
		p.left = Math.min(p.left, end - p.room);
		end = p.left - 2;
	}
	return list;
}

function drawPanics(above, to, places) {
	for (const p of places) {
		drawPanicLine(to, p.image, p.x);
		above.fillStyle = theme.bad;
		above.fillRect(p.left, OVERVIEW + 2, p.room, RULER - 4);
		above.fillStyle = theme.back;
		above.fillText(p.text, p.left + 4, OVERVIEW + RULER / 2 + 1);
	}
}

/* A step of 1, 2 or 5 times a power of ten, at least so many pixels wide */
function niceStep(width, room) {
	const least = Math.max((view.to - view.from) / Math.max(width / room, 1), 1);
	const ten = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map(n => n * ten).find(s => s >= least);
}

/* A line at a time, and the time on the ruler, if it has room */
function drawTime(to, time, digits, width, lanesTo, height, places) {
	const x = Math.round(xOf(time, width)) + .5;
	const text = clock(base + BigInt(Math.round(time)), digits);
	const end = x + 4 + to.measureText(text).width;
	to.fillStyle = theme.line;
	to.fillRect(x - .5, OVERVIEW, 1, RULER);
	lanesTo.fillStyle = theme.line;
	lanesTo.fillRect(x - .5, 0, 1, height);
	if (end > width || places.some(p => p.left < end + 2 && p.left + p.room > x + 2))
		return;
	to.fillStyle = theme.dim;
	to.fillText(text, x + 4, OVERVIEW + RULER / 2);
}

function drawRuler(to, width, lanesTo, height, places) {
	const step = niceStep(width, 124);
	const digits = Math.min(Math.max(9 - Math.floor(Math.log10(step) + 1e-9), 0), 9);
	const phase = Number(base % BigInt(step));
	to.textAlign = 'left';
	for (const [from, end] of unfolded(timeOf(view.from), timeOf(view.to))) {
		const first = Math.ceil((from + phase) / step) * step - phase;
		/* Beyond 104 days, a step may be less than numbers can tell. */
		for (let k = 0; first + k * step <= end && k <= width; k++)
			drawTime(to, first + k * step, digits, width, lanesTo, height, places);
	}
}

/* How many rows a pixel of the whole trace has, for the overview. */
let density = { width: 0, list: null, bars: [] };

function readDensity(width) {
	if (density.width === width && density.list === state.shown)
		return;
	const bars = new Float64Array(width);
	const scale = (width - 1) / (whole.to - whole.from);
	for (const i of state.shown)
		bars[Math.floor((axisOf(rows.time[i]) - whole.from) * scale)]++;
	const most = bars.reduce((a, b) => Math.max(a, b), 1);
	density = { width, list: state.shown, bars, most };
}

function drawOverview(to, width) {
	const scale = width / (whole.to - whole.from);
	readDensity(Math.max(Math.floor(width), 1));
	to.fillStyle = theme.panel;
	to.fillRect(0, 0, width, OVERVIEW - 3);
	to.fillStyle = theme.dim;
	density.bars.forEach((nr, x) => {
		const h = nr && Math.max(Math.sqrt(nr / density.most) * (OVERVIEW - 7), 2);
		to.fillRect(x, OVERVIEW - 4 - h, 1, h);
	});
	const x = (view.from - whole.from) * scale, w = Math.max((view.to - view.from) * scale, 3);
	to.fillStyle = theme.band;
	to.fillRect(x, 0, w, OVERVIEW - 3);
	to.strokeStyle = theme.accent;
	to.lineWidth = 1;
	to.strokeRect(Math.max(x, 0) + .5, .5, Math.min(w, width - Math.max(x, 0)) - 1,
		OVERVIEW - 4);
}

function drawSelected(to, width, height) {
	const [from, end] = state.band.map(t => xOf(t, width));
	if (end > 0 && from < width) {
		to.fillStyle = theme.band;
		to.fillRect(from, 0, Math.max(end - from, 2), height);
	}
	if (state.selected < 0)
		return;
	const x = Math.floor(xOf(rows.time[state.selected], width));
	const lane = lanes[rows.lane[state.selected]];
	if (x < -5 || x > width + 5)
		return;
	to.fillStyle = theme.accent;
	to.fillRect(x + .5, 0, 1, height);
	to.strokeStyle = theme.accent;
	to.lineWidth = 2;
	to.strokeRect(x - 3, lane.y + 2, 8, lane.height - 4);
}

/* Draw it all.  The attributes of the canvas tell tests what was done. */
function draw() {
	const start = performance.now();
	const height = state.height;
	const { to: above, width } = fit(top2, OVERVIEW + RULER);
	const { to } = fit(canvas, height);
	const places = [...placePanics(above, width), ...placeFolds(width)];
	const all = [...lanes, ...shownTasks];
	let marks = 0;
	drawOverview(above, width);
	for (const lane of all) {
		to.fillStyle = theme.line;
		to.fillRect(0, lane.y + lane.height - 1, width, 1);
	}
	drawRuler(above, width, to, height, places);
	drawFolds(above, to, width, height);
	drawSelected(to, width, height);
	for (const lane of all)
		marks += drawBars(to, lane, width) + drawRuns(to, lane, width);
	for (const lane of all)
		marks += drawLane(to, lane, width);
	for (const lane of lanes)
		drawLast(to, lane, width);
	for (const counter of counters)
		marks += drawCounter(to, counter, width);
	drawMarks(above, to, width, height);
	drawPanics(above, to, places.filter(p => p.image));
	drawSpan(to, width, height);
	tellSpan();
	tellRate();
	tellAddress();
	Object.assign(canvas.dataset, {
		marks, from: timeOf(view.from), to: timeOf(view.to), folds: folds.length, ms: (performance.now() - start).toFixed(2),
	});
}

let drawing = false;
function drawSoon() {
	if (drawing)
		return;
	drawing = true;
	requestAnimationFrame(() => {
		drawing = false;
		draw();
	});
}

/* ---- Pointers ---- */

/* The lane or the counter at this height. */
const laneAt = y => [...lanes, ...shownTasks, ...counters].find(l => y >= l.y && y < l.y + l.height);

/* The time at a pixel of the lanes */
const timeAt = x => timeOf(view.from + x / canvas.clientWidth * (view.to - view.from));

/* The row nearest to a point of the lanes, at most 8 pixels away; -1 if there is none. */
function rowAt(x, y) {
	const lane = laneAt(y);
	const width = canvas.clientWidth;
	if (!lane?.rows.length)
		return -1;
	const after = lowerBound(lane.rows, timeAt(x));
	const away = k => k < 0 || k >= lane.rows.length ? Infinity :
		Math.abs(xOf(rows.time[lane.rows[k]], width) - x);
	const best = away(after - 1) <= away(after) ? after - 1 : after;
	return away(best) <= 8 ? lane.rows[best] : -1;
}

/* Without a pointer: how much of the time is shown. */
function tellSpan() {
	$('when').textContent = '';
	const span = v => duration(timeOf(v.to) - timeOf(v.from));
	$('what').textContent = `${span(view)} of ${span(whole)} shown${foldText()}`;
}

function tell(x, y) {
	const i = rowAt(x, y), lane = laneAt(y);
	const time = timeAt(x);
	$('when').textContent = clock(base + BigInt(Math.round(time)), 9);
	const onStrip = lane?.strip && y >= lane.y + lane.height - lane.strip;
	$('what').textContent = onStrip ? runAt(lane, time) : i < 0 ? '' :
		lane.values ? counterAt(lane, i) : `${lane.label}: ${whatOf(i)}`;
}

/* One pointer moves time, or with Shift zooms into a span; two zoom; one that did not move selects. */
function watchPointers(onClick) {
	const down = new Map();
	let moved = 0;
	const part = e => (e.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth;
	const spread = () => {
		const [a, b] = [...down.values()];
		return { middle: (a + b) / 2, apart: Math.max(Math.abs(a - b), .01) };
	};

	canvas.onpointerdown = e => {
		down.set(e.pointerId, part(e));
		moved = down.size > 1 ? 1e9 : 0;
		span = e.shiftKey && down.size === 1 ? [part(e), part(e)] : null;
		canvas.setPointerCapture(e.pointerId);
	};
	canvas.onpointermove = e => {
		if (!down.has(e.pointerId)) {
			tell(e.offsetX, e.offsetY);
			return;
		}
		const last = down.get(e.pointerId), now = part(e);
		moved += Math.abs(now - last) * canvas.clientWidth;
		if (span) {
			span[1] = now;
			down.set(e.pointerId, now);
			drawSoon();
		} else if (down.size === 2) {
			const was = spread();
			down.set(e.pointerId, now);
			const is = spread();
			zoom(was.apart / is.apart, was.middle);
			pan(was.middle - is.middle);
		} else {
			if (moved >= 4)
				pan(last - now);
			down.set(e.pointerId, now);
		}
	};
	canvas.onpointerup = canvas.onpointercancel = e => {
		if (e.type === 'pointerup' && span && moved >= 4)
			takeSpan();
		else if (e.type === 'pointerup' && moved < 4 && down.size === 1)
			onClick(rowAt(e.offsetX, e.offsetY));
		down.delete(e.pointerId);
		span = null;
		drawSoon();
	};
	canvas.onpointerleave = tellSpan;
	canvas.addEventListener('wheel', e => {
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan((e.deltaX || e.deltaY) / canvas.clientWidth);
		else
			zoom(Math.exp(Math.max(Math.min(e.deltaY, 200), -200) * .002), part(e));
	}, { passive: false });

	/* The overview: go there. */
	const goTo = e => {
		const time = whole.from + e.offsetX / top2.clientWidth * (whole.to - whole.from);
		const half = (view.to - view.from) / 2;
		setView(time - half, time + half);
	};
	top2.onpointerdown = e => {
		top2.setPointerCapture(e.pointerId);
		goTo(e);
	};
	top2.onpointermove = e => {
		if (e.buttons)
			goTo(e);
	};
}
