/* SPDX-License-Identifier: GPL-2.0 */
/* Measuring: two marked rows and the time between them; spans of time to zoom into. */

const MARK_NAMES = 'AB';
const LASTS = [['10 ms', 1e7, '1'], ['100 ms', 1e8, '2'], ['1 s', 1e9, '3'], ['10 s', 1e10, '4']];

/* The exact time of a row on the clock of the page */
const clockOf = i => exactOf(i) + imageOf(i).shift;

/* Mark the selected row; with two marks, begin anew. */
function markSelected() {
	if (state.selected < 0)
		return;
	state.marks = state.marks.length < 2 ? [...state.marks, state.selected] : [state.selected];
	tellMarks();
	drawSoon();
}

function clearMarks() {
	state.marks = [];
	tellMarks();
	drawSoon();
}

/* How many rows that are shown lie between two others */
function tellBetween() {
	if (!$('between'))
		return;
	const [low, high] = [...state.marks].sort((x, y) => x - y);
	const nr = Math.max(lowerIndex(state.shown, high) - lowerIndex(state.shown, low + 1), 0);
	$('between').textContent = `, ${count(nr)} row${nr === 1 ? '' : 's'} between `;
}

/* "A → B 12.5 µs, 3 rows between", and all intervals between two such events */
function tellMarks() {
	const [a, b] = state.marks, bar = $('measure');
	const had = bar.contains(document.activeElement);
	const show = (i, name) => make('button', { textContent: name, title: timeText(i),
		onclick: () => select(i) });
	bar.replaceChildren();
	if (a === undefined)
		return;
	bar.append(show(a, 'A'));
	if (b === undefined) {
		bar.append(` marked at ${timeText(a)}; now mark a second event `);
	} else {
		const ns = Number(clockOf(b) - clockOf(a));
		bar.append(' → ', show(b, 'B'), make('span', {},
			` ${ns < 0 ? '−' : ''}${duration(Math.abs(ns), 15)}`,
			make('span', { id: 'between' })), ...figuresBetween(a, b));
		tellBetween();
	}
	bar.append(make('button', { textContent: 'Remove', onclick: clearMarks }));
	if (had)
		bar.querySelector('button').focus();
}

function drawMarks(above, to, width, height) {
	const xs = state.marks.map(i => Math.floor(xOf(rows.time[i], width)) + .5);
	if (xs.length === 2) {
		const from = Math.max(Math.min(...xs), 0), end = Math.min(Math.max(...xs), width);
		to.fillStyle = theme.band;
		to.fillRect(from, 0, Math.max(end - from, 0), height);
	}
	xs.forEach((x, k) => {
		if (x < 0 || x > width)
			return;
		to.fillStyle = above.fillStyle = theme.warn;
		to.fillRect(x - .5, 0, 1, height);
		above.fillRect(x - 7, OVERVIEW + 3, 14, RULER - 6);
		above.fillStyle = theme.back;
		above.textAlign = 'center';
		above.fillText(MARK_NAMES[k], x, OVERVIEW + RULER / 2 + 1);
		above.textAlign = 'left';
	});
}

/* ---- Spans ---- */

/* The end of what happened: the last row, or, as the kernel says much of it, the begin of a panic */
function endOfImage(image) {
	const judged = image.panic === undefined ? null : judgedOf(image)?.as_of_ns;
	return relative(image, judged ? BigInt(judged) : image.end);
}
const lastTime = () => Math.max(...images.map(endOfImage));

/* Show the time up to the end, with a little room behind it; after it, up to the last row. */
function showSinceTime(time) {
	const from = axisOf(time);
	const end = axisOf(time < lastTime() ? lastTime() : rows.time[rows.nr - 1]);
	setView(from, end + (end - from) * .015);
}

const showLast = ns => showSinceTime(lastTime() - ns);

/* Show the time from the selected row to the end. */
function showSince() {
	if (state.selected >= 0)
		showSinceTime(rows.time[state.selected]);
}

function makeLasts() {
	$('lasts').append(...LASTS.map(([textContent, ns, key]) => make('button', { textContent,
		title: `Show the last ${textContent} (${key})`, onclick: () => showLast(ns) })));
}

/* A span that is chosen by dragging with Shift, as parts of the width; null for none */
let span = null;

function drawSpan(to, width, height) {
	if (!span)
		return;
	to.fillStyle = theme.band;
	to.fillRect(Math.min(...span) * width, 0, Math.abs(span[1] - span[0]) * width, height);
	to.strokeStyle = theme.accent;
	to.lineWidth = 1;
	to.strokeRect(Math.min(...span) * width + .5, .5, Math.abs(span[1] - span[0]) * width, height - 1);
}

/* Zoom into the span, unless it is too small to be meant. */
function takeSpan() {
	const [from, to] = span.map(part => Math.min(Math.max(part, 0), 1)).sort((a, b) => a - b);
	const length = view.to - view.from;
	if ((to - from) * canvas.clientWidth > 4)
		setView(view.from + from * length, view.from + to * length);
}
