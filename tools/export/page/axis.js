/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The axis of time.  Times without rows that would squeeze all the rest to its edges are folded:
 * they have a small part of the axis, and the page says so.  A place on the axis is in ns, too, and
 * is the time if nothing is folded.
 *
 * The longest pauses are folded if they take two thirds of the time together, each at least eight
 * times as long as any other.
 */

const LEAST_SPAN = 20;		/* ns that the lanes show at the least */
const FOLDS_MOST = 8;
const FOLD_PART = .04;		/* of all that is not folded */
const FOLD_RATIO = 8;		/* to the longest pause that is not folded */
const FOLD_SHARE = 2 / 3;	/* of the time, at the least */

const panics = images.map(m => m.panic === undefined ? null : relative(m, m.panic));

/* The longest pauses between rows and panics, the longest first, and the time of all: [pauses, time] */
function findPauses() {
	const ends = panics.filter(t => t !== null).sort((a, b) => a - b), pauses = [];
	let before = null, first = null;
	const take = time => {
		const length = time - before;
		if (before === null)
			first = time;
		else if (pauses.length <= FOLDS_MOST || length > pauses.at(-1).length) {
			const at = pauses.findIndex(p => p.length < length);
			pauses.splice(at < 0 ? pauses.length : at, 0, { length, from: before, to: time });
			pauses.length = Math.min(pauses.length, FOLDS_MOST + 1);
		}
		before = time;
	};
	for (let i = 0; i < rows.nr; i++) {
		while (ends.length && ends[0] < rows.time[i])
			take(ends.shift());
		take(rows.time[i]);
	}
	ends.forEach(take);
	return [pauses, before - first];
}

function findFolds() {
	const [pauses, all] = findPauses();
	let sum = 0;
	for (let k = 0; k + 1 < pauses.length; k++) {
		sum += pauses[k].length;
		if (sum >= FOLD_SHARE * all && sum < all &&
		    pauses[k].length >= FOLD_RATIO * pauses[k + 1].length)
			return pauses.slice(0, k + 1).sort((a, b) => a.from - b.from)
				.map(({ from, to }) => ({ from, to, width: FOLD_PART * (all - sum) }));
	}
	return [];
}
const allFolds = findFolds();
let folds = allFolds;

/* The place of a time on the axis */
function axisOf(time) {
	let at = time;
	for (const { from, to, width } of folds) {
		if (time >= to)
			at -= to - from - width;
		else if (time > from)
			return at - (time - from) * (1 - width / (to - from));
		else
			break;
	}
	return at;
}

/* The time of a place on the axis */
function timeOf(at) {
	let time = at;
	for (const { from, to, width } of folds) {
		if (time >= from + width)
			time += to - from - width;
		else if (time > from)
			return from + (time - from) / width * (to - from);
		else
			break;
	}
	return time;
}

/* All rows and panics, and a little room on both sides, as places on the axis. */
function wholeView() {
	const ends = panics.filter(t => t !== null);
	if (rows.nr)
		ends.push(rows.time[0], rows.time[rows.nr - 1]);
	if (!ends.length)
		ends.push(0);
	const from = axisOf(Math.min(...ends)), to = axisOf(Math.max(...ends));
	const room = Math.max((to - from) * .015, LEAST_SPAN);
	return { from: from - room, to: to + room };
}

/* The parts of a time that are not folded: [from, to] */
function unfolded(from, to) {
	const list = [];
	for (const fold of folds) {
		if (fold.from > from && fold.from < to)
			list.push([from, fold.from]);
		if (fold.to > from && fold.from < to)
			from = fold.to;
	}
	return from < to ? [...list, [from, to]] : list;
}

/* Where times have no room on the ruler */
const placeFolds = width => folds.map(fold => {
	const left = xOf(fold.from, width);
	return { left, room: xOf(fold.to, width) - left };
});

function drawFolds(above, to, width, height) {
	for (const fold of folds) {
		const x = xOf(fold.from, width), end = xOf(fold.to, width);
		if (end < 0 || x > width)
			continue;
		to.fillStyle = theme.panel;
		to.fillRect(x, 0, end - x, height);
		to.strokeStyle = theme.dim;
		to.lineWidth = 1;
		to.beginPath();
		for (const edge of [x, end])
			for (let y = 0; y <= height; y += 4)
				to[y ? 'lineTo' : 'moveTo'](edge + (y % 8 ? 2 : -2), y);
		to.stroke();
		above.fillStyle = theme.dim;
		const left = Math.max(x, 0), room = Math.min(end, width) - left - 2;
		const length = duration(fold.to - fold.from, 2);
		const text = [`${length} without rows`, length, '⋯'].find(t => above.measureText(t).width <= room);
		above.fillText(text ?? '', left + 2, OVERVIEW + RULER / 2);
	}
}

/* "; 1.2 s without rows are folded (f)" */
function foldText() {
	const sum = folds.reduce((all, fold) => all + fold.to - fold.from, 0);
	return folds.length ? `; ${duration(sum)} without rows are folded (f)` : '';
}

/* Show times without rows in full, or fold them again. */
function setFolded(isFolded) {
	const times = [timeOf(view.from), timeOf(view.to)];
	folds = isFolded ? allFolds : [];
	$('fold').setAttribute('aria-pressed', isFolded);
	Object.assign(whole, wholeView());
	density.width = 0;
	setView(...times.map(axisOf));
}
