/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The traces, as rows in the order of time.  html.c has the format of the data.
 *
 * A row is an event or a line of the kernel log.  Its number is its index in the arrays of `rows`.
 * Times are ns since `base` as numbers, which are exact for 104 days; exact ones are BigInt.  The
 * clock of the page is that of the image, or the wall clock if there are several.
 */

const $ = id => document.getElementById(id);
const COLOURS = 7;	/* tasks with a colour of their own; others share one more */
const CONTEXTS = [[0xf000, 'nmi'], [0x0f00, 'hardirq'], [0x0001, 'softirq']];

function make(tag, props, ...children) {
	const el = Object.assign(document.createElement(tag), props);
	el.append(...children);
	return el;
}

/* The stack of a call that a probe of functions recorded: its caller is all that is known. */
function callerOf(image, i, callers) {
	const site = image.sites.get(image.events.shapes[image.events.shape[i]].site);
	const at = site?.file === 'function' ? site.args?.indexOf('caller') ?? -1 : -1;
	const value = at < 0 ? null : unpackValues(image.events, i)[at]?.[1];
	const frame = value && (/<(.*)>$/.exec(value)?.[1] ?? value);
	if (frame && !callers.has(frame))
		callers.set(frame, { frames: [frame], lines: [frame] });
	return callers.get(frame) ?? null;
}

/* Read one image: its events, with the names and stacks of then, and its sites. */
function readImage(source, number) {
	const image = { ...source, number, sites: new Map(), names: [], stacks: [] };
	const names = new Map(), stacks = new Map(), callers = new Map();
	const define = object => {
		if (object.tid !== undefined) {
			names.set(object.tid, object.task);
		} else if (object.stack !== undefined) {
			object.lines = object.frames.concat(object.end ?? []);
			stacks.set(object.stack, object);
		} else {
			image.sites.set(object.site, object);
		}
	};
	image.events = unpack(source.rows, define, (i, shape, tid, stack) => {
		image.names.push(tid ? names.get(tid) ?? null : null);
		image.stacks.push(shape.stacked ? stacks.get(stack) : null);
	});
	for (let i = 0; i < image.events.nr; i++)
		image.stacks[i] ??= callerOf(image, i, callers);
	image.first = image.events.nr ? image.events.time[0] : undefined;
	image.last = image.events.nr ? image.events.time[image.events.nr - 1] : undefined;
	/* A line without a time, or whose time went back, goes with the line before. */
	let at = image.first ?? 0n;
	image.log.forEach((line, i) => {
		const time = line[0] === null ? at : BigInt(line[0]);
		at = i && time < at ? at : time;
		line[0] = at;
	});
	image.offset = image.offset === null ? null : BigInt(image.offset);
	const last = [image.last, image.log.at(-1)?.[0]].filter(t => t !== undefined);
	image.end = last.length ? last.reduce((a, b) => a > b ? a : b) : 0n;
	if (image.state === 'panicked')
		image.panic = image.ended === null ? image.end : BigInt(image.ended);
	delete image.rows;
	return image;
}

const images = JSON.parse($('data').textContent).images.map(readImage);
$('data').remove();
const several = images.length > 1;

/* What to add to the clock of an image.  If its wall clock is lost, its first row is the first. */
function setShifts() {
	const starts = images.map(m => [m.first, m.log[0]?.[0]].filter(t => t !== undefined)
		.reduce((a, b) => a < b ? a : b, m.end));
	const known = images.map((m, i) => several && m.offset !== null ?
		starts[i] + m.offset : null).filter(t => t !== null);
	const first = known.length ? known.reduce((a, b) => a < b ? a : b) : starts[0] ?? 0n;
	images.forEach((m, i) => {
		m.shift = !several ? 0n : m.offset ?? first - starts[i];
	});
	return first;
}
const base = setShifts();
const relative = (image, time) => Number(time + image.shift - base);

function relativeTimes(image) {
	const times = new Float64Array(image.events.nr), shift = image.shift - base;
	for (let i = 0; i < times.length; i++)
		times[i] = Number(image.events.time[i] + shift);
	return times;
}

/* Merge what is in order in each image; of two at the same time the event comes first. */
function mergeRows() {
	const lists = images.flatMap(m => [
		{ image: m, log: 0, at: 0, times: relativeTimes(m) },
		{ image: m, log: 1, at: 0, times: m.log.map(l => relative(m, l[0])) },
	]).filter(l => l.times.length);
	const nr = lists.reduce((sum, l) => sum + l.times.length, 0);
	const all = {
		nr,
		time: new Float64Array(nr), image: new Uint32Array(nr), index: new Uint32Array(nr),
		log: new Uint8Array(nr), lane: new Uint32Array(nr), task: new Int32Array(nr),
		kind: new Uint32Array(nr), context: new Int8Array(nr),
	};
	for (let i = 0; i < nr; i++) {
		let best = null;
		for (const l of lists)
			if (l.at < l.times.length && (!best || l.times[l.at] < best.times[best.at]))
				best = l;
		all.time[i] = best.times[best.at];
		all.image[i] = best.image.number;
		all.log[i] = best.log;
		all.index[i] = best.at++;
	}
	return all;
}
const rows = mergeRows();
const imageOf = i => images[rows.image[i]];
const nameOf = i => rows.log[i] ? null : tidOf(i) === 0 ? `swapper/${cpuOf(i)}` :
	imageOf(i).names[rows.index[i]];
const cpuOf = i => imageOf(i).events.cpu[rows.index[i]];
const shapeOf = i => imageOf(i).events.shapes[imageOf(i).events.shape[rows.index[i]]];
const valuesOf = i => unpackValues(imageOf(i).events, rows.index[i]);
/* null for the log, and for small entries */
function tidOf(i) {
	const tid = rows.log[i] ? -1 : imageOf(i).events.tid[rows.index[i]];
	return tid < 0 ? null : tid;
}
const stackOf = i => rows.log[i] ? null : imageOf(i).stacks[rows.index[i]];
const lineOf = i => rows.log[i] ? imageOf(i).log[rows.index[i]] : null;
const exactOf = i => rows.log[i] ? lineOf(i)[0] : imageOf(i).events.time[rows.index[i]];

/* A lane for the log and the panic of each image, then one for each of its CPUs. */
function makeLanes() {
	const lanes = [];
	for (const image of images) {
		const cpus = [...new Set(image.events.cpu.subarray(0, image.events.nr))].sort((a, b) => a - b);
		image.lane = new Map();
		if (image.log.length || image.state === 'panicked')
			image.lane.set(-1, lanes.push({ image, cpu: -1, label: 'kernel log' }) - 1);
		for (const cpu of cpus)
			image.lane.set(cpu, lanes.push({ image, cpu, label: `CPU ${cpu}` }) - 1);
	}
	for (let i = 0; i < rows.nr; i++) {
		rows.lane[i] = imageOf(i).lane.get(rows.log[i] ? -1 : cpuOf(i));
		lanes[rows.lane[i]].last = i;
	}
	return lanes;
}
const lanes = makeLanes();

/* "tid 242 cat", with the name that the task had then, if it is known */
const tidText = i => `tid ${tidOf(i)}` + (nameOf(i) === null ? '' : ` ${nameOf(i)}`);

/* Tasks by the number of their image and their tid */
const tasksByTid = new Map();
const tidKey = (image, tid) => image.number * 2 ** 32 + tid;
const taskOf = (image, tid) => tasksByTid.get(tidKey(image, tid));

/* Tasks, the busiest first, with their last names.  Small entries have none. */
function makeTasks() {
	const known = tasksByTid;
	const byRow = new Array(rows.nr);
	for (let i = 0; i < rows.nr; i++) {
		const tid = tidOf(i);
		if (tid === null)
			continue;
		const key = tidKey(imageOf(i), tid);
		let task = known.get(key);
		if (!task)
			known.set(key, task = { image: imageOf(i), tid, nr: 0 });
		task.nr++;
		task.label = tidText(i);
		byRow[i] = task;
	}
	const tasks = [...known.values()].sort((a, b) => b.nr - a.nr || a.tid - b.tid);
	tasks.forEach((task, i) => {
		task.number = i;
		task.key = several ? `${task.image.number}.${task.tid}` : `${task.tid}`;
		task.colour = Math.min(i, COLOURS);
	});
	for (let i = 0; i < rows.nr; i++)
		rows.task[i] = byRow[i] ? byRow[i].number : -1;
	return tasks;
}
const tasks = makeTasks();
const colourOf = i => rows.task[i] < 0 ? 0 : tasks[rows.task[i]].colour;

/* ---- Text ---- */

/* "17.431102506", with so many digits of the second */
function seconds(ns, digits = 9) {
	const sign = ns < 0n ? '-' : '';
	const text = (ns < 0n ? -ns : ns).toString().padStart(10, '0');
	return sign + text.slice(0, -9) +
		(digits ? '.' + text.slice(-9, digits - 9 || undefined) : '');
}

/* "14:46:03.123456789", UTC */
function wall(ns, digits = 9) {
	const second = (ns - (ns % 1000000000n + 1000000000n) % 1000000000n) / 1000000000n;
	const date = new Date(Number(second) * 1000);
	const time = isNaN(date) ? `${second}` : date.toISOString().slice(11, 19);
	return time + (digits ? seconds(ns, digits).slice(-digits - 1) : '');
}

function day(ns) {
	const date = new Date(Number(ns / 1000000n));
	return isNaN(date) ? '' : date.toISOString().slice(0, 10);
}

/* A time on the clock of the page */
const clock = (ns, digits) => several ? wall(ns, digits) : seconds(ns, digits);
const timeText = i => clock(exactOf(i) + imageOf(i).shift);
const micros = ns => (ns / 1000).toFixed(3);
const count = n => n.toLocaleString('en');

function duration(ns, digits = 4) {
	const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
	const unit = units.find(u => ns >= u[0]) ?? [1, 'ns'];
	return `${+(ns / unit[0]).toPrecision(digits)} ${unit[1]}`;
}

function context(bits) {
	return CONTEXTS.find(c => bits & c[0])?.[1] ?? 'task';
}

/* [name, text] of each argument; without names, up to the last one that is not 0 */
function argsOf(i) {
	const { args } = siteOf(i), letter = k => 'abcdef'[k];
	return valuesOf(i).map(([place, text], k) =>
		[place ? letter(place - 1) : args ? args[k] : letter(k), text]);
}

const siteNumber = i => shapeOf(i).site;
const siteOf = i => imageOf(i).sites.get(siteNumber(i));
const tagOf = i => siteOf(i).label ?? `<site ${siteNumber(i)}>`;

function whatOf(i) {
	if (rows.log[i])
		return lineOf(i)[3];
	return [tagOf(i), ...argsOf(i).map(a => a.join('='))].filter(s => s).join(' ');
}

function placeOf(i) {
	if (rows.log[i] || !siteOf(i).file)
		return '';
	const { file, function: func, line } = siteOf(i);
	return `${file.split('/').at(-1)}:${func}` + (line ? `:${line}` : '');
}

/* What a search looks at, a line each, so that ^ and $ are the ends of one of them */
function searchable(i) {
	if (rows.log[i])
		return lineOf(i)[3];
	const { tag = tagOf(i), file = '', function: func = '' } = siteOf(i);
	const tid = tidOf(i);
	return `${whatOf(i)}\n${tag}\n${func}\n${file}` + (tid === null ? '' : `\n${tidText(i)}`);
}

/* ---- What can be hidden, beside tasks ---- */

/*
 * Kinds of rows: the events of a site, or the kernel log of an image; the most usual ones first.
 * `key` is their name in an address.
 */
function makeKinds() {
	const known = new Map(), byRow = new Array(rows.nr);
	for (let i = 0; i < rows.nr; i++) {
		const site = rows.log[i] ? 'log' : siteNumber(i);
		const key = several ? `${rows.image[i]}.${site}` : `${site}`;
		let kind = known.get(key);
		if (!kind)
			known.set(key, kind = { key, first: i, nr: 0 });
		kind.nr++;
		byRow[i] = kind;
	}
	const kinds = [...known.values()].sort((a, b) => b.nr - a.nr || a.first - b.first);
	kinds.forEach((kind, number) => {
		kind.number = number;
		kind.image = imageOf(kind.first);
		kind.label = rows.log[kind.first] ? 'kernel log' :
			tagOf(kind.first) || siteOf(kind.first).tag || `<site ${siteNumber(kind.first)}>`;
		kind.place = placeOf(kind.first);
	});
	/* Sites with one tag are told apart by their places. */
	const labels = kinds.map(kind => `${kind.image.number} ${kind.label}`), seen = new Map();
	labels.forEach(label => seen.set(label, (seen.get(label) ?? 0) + 1));
	kinds.forEach((kind, n) => {
		if (kind.place && seen.get(labels[n]) > 1)
			kind.label += ` (${kind.place})`;
	});
	for (let i = 0; i < rows.nr; i++)
		rows.kind[i] = byRow[i].number;
	return kinds;
}
const kinds = makeKinds();

/* Contexts of events; small entries and the log have none: -1. */
function makeContexts() {
	const contexts = ['task', 'softirq', 'hardirq', 'nmi'].map((label, number) =>
		({ key: label, label, number, nr: 0 }));
	for (let i = 0; i < rows.nr; i++) {
		const label = rows.log[i] || !imageOf(i).large ? null : context(shapeOf(i).context);
		rows.context[i] = contexts.findIndex(c => c.label === label);
		if (label)
			contexts[rows.context[i]].nr++;
	}
	return contexts;
}
const contexts = makeContexts();
