/* SPDX-License-Identifier: GPL-2.0 */
/* Figures: how often events are, how long they take, and how far apart two kinds are. */

/* Rows of each kind, when they were asked for first */
const rowsOfKind = new Map();
function listOfKind(kind) {
	if (!rowsOfKind.has(kind)) {
		const list = [];
		for (let i = 0; i < rows.nr; i++)
			if (rows.kind[i] === kind)
				list.push(i);
		rowsOfKind.set(kind, list);
	}
	return rowsOfKind.get(kind);
}

/*
 * The distribution of [ns, row...]: the shortest and the longest one, and the times that half and 99
 * of 100 do not exceed.  Null without any.
 */
function distributionOf(spans) {
	const sorted = spans.sort((a, b) => a[0] - b[0]);
	const at = part => sorted[Math.max(Math.ceil(sorted.length * part) - 1, 0)];
	return sorted.length ? { nr: sorted.length, shortest: sorted[0], median: at(.5)[0],
		most: at(.99)[0], longest: sorted.at(-1) } : null;
}

/* Buttons and texts for it; show([ns, row...]) shows one of the extreme ones. */
function distributionText(d, show) {
	const link = span => make('button', { textContent: duration(span[0]), onclick: () => show(span) });
	return ['shortest ', link(d.shortest), `, median ${duration(d.median)}, 99 % up to ` +
		`${duration(d.most)}, longest `, link(d.longest)];
}

/* What similar pairs have in common, of a begin: "irq=1"; "" if all of a kind are similar */
function groupOf(i) {
	const arg = argsOf(i)[rows.group[i]];
	return arg ? `${arg[0]}=${arg[1]}` : '';
}

/* For each kind of begins that was asked for: the distributions of its pairs, by their group */
const pairsOfKind = new Map();
function pairsLike(i) {
	const begin = rows.other[i] > i || rows.other[i] === OPEN ? i : rows.other[i];
	const kind = rows.kind[begin], group = groupOf(begin);
	if (!pairsOfKind.has(kind)) {
		const groups = new Map();
		for (const k of listOfKind(kind).filter(row => rows.other[row] > row)) {
			const of = groupOf(k), spans = groups.get(of) ?? [];
			groups.set(of, spans);
			spans.push([rows.time[rows.other[k]] - rows.time[k], k]);
		}
		pairsOfKind.set(kind, new Map([...groups].map(([g, spans]) => [g, distributionOf(spans)])));
	}
	return { group, ...pairsOfKind.get(kind).get(group) };
}

/*
 * Rows that no interval reaches over: recording stops or starts, or events are switched.  Between
 * them, and before all is there, the next event may be missing.
 */
const breaks = Array.from({ length: rows.nr }, (_, i) => i).filter(i => !rows.log[i] &&
	tagOf(i).startsWith('jtrace: '));

/* Is nothing missing between two rows? */
function isWhole(from, to) {
	const image = imageOf(from);
	return image === imageOf(to) && !image.pairless && exactOf(from) > BigInt(image.complete) &&
		lowerIndex(breaks, from) === lowerIndex(breaks, to);
}

/* From each row of a kind to the next one of another, where none is missing: [ns, row, next row] */
function intervals(kind, next) {
	const list = listOfKind(next), spans = [];
	let at = 0;
	for (const i of listOfKind(kind)) {
		while (at < list.length && list[at] <= i)
			at++;
		if (at === list.length)
			break;
		if (isWhole(i, list[at]))
			spans.push([rows.time[list[at]] - rows.time[i], i, list[at]]);
	}
	return spans;
}

/* Their distribution, when it was asked for first */
const intervalsOfKinds = new Map();
function distributionBetween(kind, next) {
	const key = `${kind} ${next}`;
	if (!intervalsOfKinds.has(key))
		intervalsOfKinds.set(key, distributionOf(intervals(kind, next)));
	return intervalsOfKinds.get(key);
}

/* When an image has its first and its last row */
function timeOfImage(image) {
	const ends = [image.first, image.log[0]?.[0], image.last, image.log.at(-1)?.[0]]
		.filter(t => t !== undefined).map(t => relative(image, t));
	return [Math.min(...ends), Math.max(...ends)];
}

/* Tell how many events as the selected one are in the time shown. */
function tellRate() {
	const el = $('rate');
	if (!el)
		return;
	const list = listOfKind(rows.kind[state.selected]);
	const [first, last] = timeOfImage(imageOf(state.selected));
	const shown = [timeOf(view.from), timeOf(view.to)];
	const from = Math.max(shown[0], first), to = Math.min(shown[1], last);
	const seen = lowerBound(list, shown[1]) - lowerBound(list, shown[0]);
	const rate = +(seen / (to - from) * 1e9).toPrecision(3);
	el.textContent = `${count(list.length)}; in the time shown ${count(seen)}` +
		(to > from ? `, ${rate >= 1 ? count(rate) : rate} a second` : '');
}

/* For the details of an event: how many such ones there are, and how long they took */
function figuresOf(i) {
	const box = make('div', { className: 'figures' }, make('p', { id: 'rate' }));
	const d = rows.other[i] === -1 ? null : pairsLike(i);
	if (d?.nr)
		box.append(make('p', {}, `${count(d.nr)} ${d.group ? `with ${d.group} ` : ''}took: `,
			...distributionText(d, ([, row]) => select(row))));
	return [make('h3', { textContent: 'Such events' }), box];
}

/* For two marks: all intervals from an event as the first one to the next one as the second */
function figuresBetween(a, b) {
	const d = distributionBetween(rows.kind[a], rows.kind[b]);
	return !d ? [] :
		[make('span', { className: 'figures', ariaLive: 'off' }, `${count(d.nr)} times from ${kinds[rows.kind[a]].label} ` +
			`to the next ${kinds[rows.kind[b]].label}: `, ...distributionText(d, ([, from, to]) => {
			state.marks = [from, to];
			select(to);
			tellMarks();
		}))];
}
