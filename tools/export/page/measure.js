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

/* "A → B: 12.5 µs, 3 rows between", of the rows that are shown */
function tellMarks() {
	const [a, b] = state.marks;
	$('measure').replaceChildren();
	if (a === undefined)
		return;
	const show = (i, name) => make('button', { textContent: name, title: timeText(i),
		onclick: () => select(i) });
	$('measure').append(show(a, 'A'));
	if (b === undefined) {
		$('measure').append(` marked at ${timeText(a)}: m marks a second event `);
	} else {
		const ns = Number(clockOf(b) - clockOf(a));
		const [low, high] = [a, b].sort((x, y) => x - y);
		const between = Math.max(lowerIndex(state.shown, high) - lowerIndex(state.shown, low + 1), 0);
		$('measure').append(' → ', show(b, 'B'),
			` ${ns < 0 ? '−' : ''}${duration(Math.abs(ns), 15)}, ${count(between)} ` +
			`row${between === 1 ? '' : 's'} between `, ...figuresBetween(a, b));
	}
	$('measure').append(make('button', { textContent: 'Remove', onclick: clearMarks }));
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

/* The end of what happened: the last row or panic */
const lastTime = () => Math.max(...panics.filter(t => t !== null), rows.nr ? rows.time[rows.nr - 1] : 0);

/* Show so many ns up to the end, with a little room behind it. */
function showLast(ns) {
	setView(lastTime() - ns, lastTime() + ns * .015);
}

/* Show the time from the selected row to the end. */
function showSince() {
	if (state.selected >= 0)
		setView(rows.time[state.selected], lastTime() + (lastTime() - rows.time[state.selected]) * .015);
}

function makeLasts() {
	const list = $('last');
	const choices = [...LASTS.map(([text, ns]) => [text, () => showLast(ns)]),
		['since the selected event', showSince]];
	list.append(make('option', { textContent: 'Last …' }),
		...choices.map(([textContent]) => make('option', { textContent })));
	list.onchange = () => {
		choices[list.selectedIndex - 1]?.[1]();
		list.selectedIndex = 0;
	};
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

/* Zoom into the span. */
function takeSpan() {
	const [from, to] = [...span].sort((a, b) => a - b).map(part =>
		view.from + part * (view.to - view.from));
	span = null;
	setView(from, to);
}
