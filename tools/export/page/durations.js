/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Durations: events that begin and end something.  Those of a CPU are bars behind the events of its
 * lane, an inner one above an outer one.
 */

const OPEN = -2;		/* no other half: it had not ended */
const BAR_STEP = 4;		/* pixels that an inner bar is lower */
const BARS_MOST = 5;		/* bars within bars that are drawn */

/* The row of each event of an image */
function rowsOfEvents() {
	const places = images.map(m => new Uint32Array(m.events.length));
	for (let i = 0; i < rows.nr; i++)
		if (!rows.log[i])
			places[rows.image[i]][rows.index[i]] = i;
	return places;
}

/* Put a bar into the list of its depth.  Those that come later begin later. */
function addBar(lane, begin, end) {
	const reaches = end < 0 ? Infinity : end;
	let depth = 0;
	while (depth < lane.bars.length && lane.bars[depth].until > begin)
		depth++;
	if (depth === BARS_MOST)
		return;
	if (depth === lane.bars.length)
		lane.bars.push({ begin: [], end: [], until: -1 });
	const bars = lane.bars[depth];
	bars.begin.push(begin);
	bars.end.push(end);
	bars.until = reaches;
}

/* For each row the row of its other half, -1 if it has none, OPEN if it had not ended. */
function makeDurations() {
	const places = rowsOfEvents(), ofCpus = [];
	rows.other = new Int32Array(rows.nr).fill(-1);
	rows.group = new Int8Array(rows.nr).fill(-1);
	for (const lane of lanes)
		lane.bars = [];
	for (const image of images) {
		for (const [at, length, owner, group] of image.pairs) {
			const begin = places[image.number][at];
			const end = length === null ? OPEN : places[image.number][at + length];
			rows.other[begin] = end;
			rows.group[begin] = group;
			if (end >= 0)
				rows.other[end] = begin;
			if (owner === 0)
				ofCpus.push(begin);
		}
		delete image.pairs;
	}
	for (const begin of ofCpus.sort((a, b) => a - b))
		addBar(lanes[rows.lane[begin]], begin, rows.other[begin]);
}
makeDurations();

/* What "jtrace why" says of an image: up to when it judges */
const judgedOf = image => image.why.find(o => o.type === 'why');

/* How long something is known to have run that had not ended: up to that moment, or its begin */
function openUntil(begin) {
	const image = imageOf(begin), judged = judgedOf(image)?.as_of_ns ?? image.times.at(-1);
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

/* Draw the bars of a lane, at most two for each pixel and depth; return how many. */
function drawBars(to, lane, width) {
	let drawn = 0;
	lane.bars.forEach((bars, depth) => {
		const top = lane.y + 3 + depth * BAR_STEP, height = lane.height - 6 - depth * BAR_STEP;
		let k = firstBar(bars, view.from);
		if (height < 2)
			return;
		while (k < bars.begin.length && rows.time[bars.begin[k]] <= view.to) {
			const from = Math.max(xOf(rows.time[bars.begin[k]], width), -1);
			const end = Math.min(xOf(endTime(bars, k), width), width + 1);
			to.globalAlpha = .3;
			to.fillStyle = bars.end[k] < 0 ? theme.bad : theme.task[colourOf(bars.begin[k])];
			to.fillRect(from, top, Math.max(end - from, 1), height);
			drawn++;
			/* The next one that is seen beside it, and the last one, which may be open */
			const next = firstBar(bars, view.from +
				(Math.floor(Math.max(from, end - 1)) + 1) * (view.to - view.from) / width);
			k = Math.max(k + 1, Math.min(next, bars.begin.length - 1));
		}
	});
	to.globalAlpha = 1;
	return drawn;
}

/* "12.3 µs", from the begin to the end; of what had not ended, as far as it is known */
function durationOf(i) {
	const other = rows.other[i];
	const ns = other >= 0 ? Math.abs(rows.time[other] - rows.time[i]) :
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
