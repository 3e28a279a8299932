/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tasks did: which one ran on a CPU, and whether a task ran, slept or waited for a CPU.  It is
 * a strip below the events of a lane.
 */

const STRIP = 13;		/* pixels of the strip */
const STATES = {
	'': 'ran', 'R': 'waited for a CPU (R)', 'R+': 'was preempted (R+)', 'S': 'slept (S)',
	'D': 'slept, uninterruptible (D)', 'T': 'was stopped (T)', 't': 'was traced (t)',
	'P': 'was parked (P)', 'I': 'was idle (I)',
};

function addRun(lane, begin, end, state, tid) {
	lane?.runs.begin.push(begin);
	lane?.runs.end.push(end);
	lane?.runs.state.push(state);
	lane?.runs.tid.push(tid);
}

/* What a row begins and ends, by its number: a list of [begin, end, state, tid] */
const runsOfRow = new Map();

function noteRun(row, run) {
	if (row >= 0)
		runsOfRow.set(row, [...runsOfRow.get(row) ?? [], run]);
}

function makeRuns() {
	for (const image of images) {
		const list = image.runs.map(([at, length, tid, state]) => [
			places[image.number][at],
			length === null ? OPEN : places[image.number][at + length], state, tid,
		]);
		for (const run of list.sort((a, b) => a[0] - b[0])) {
			const [begin, end, state, tid] = run;
			if (!state)
				addRun(lanes[rows.lane[begin]], ...run);
			addRun(taskOf(image, tid), begin, end, state, tid);
			noteRun(begin, run);
			noteRun(end, run);
		}
		delete image.runs;
	}
}
makeRuns();

/* "tid 242 cat", with its last name */
const tidName = (image, tid) => taskOf(image, tid)?.label ?? `tid ${tid}`;

function stateColour(lane, k) {
	const state = lane.runs.state[k], task = taskOf(lane.image, lane.runs.tid[k]);
	if (!state)
		return theme.task[task?.colour ?? COLOURS];
	return state[0] === 'R' ? theme['hit-mark'] : state === 'D' ? theme.bad : theme.line;
}

/* Draw the strip of a lane; return how many of its bars are drawn. */
function drawRuns(to, lane, width) {
	const top = lane.y + lane.height - STRIP - 1, isCpu = lane.cpu !== undefined;
	return lane.runs.begin.length && eachBar(lane.runs, width, (k, x, end) => {
		const state = lane.runs.state[k], from = Math.max(x, 0), room = Math.min(end, width) - from - 4;
		const margin = state === '' || state === 'D' ? 0 : 4;
		to.globalAlpha = state === '' ? .5 : .4;
		to.fillStyle = stateColour(lane, k);
		to.fillRect(x, top + margin, end - x, STRIP - 2 * margin);
		to.globalAlpha = 1;
		if (room < 8)
			return;
		to.fillStyle = theme.ink;
		to.font = '10px system-ui, "DejaVu Sans", sans-serif';
		to.fillText(isCpu ? cut(to, tidName(lane.image, lane.runs.tid[k]), room) : state,
			from + 3, top + STRIP / 2 + 1);
		to.font = FONT;
	});
}

/* "tid 242 cat slept (S) 12.3 µs" */
function runText(image, [begin, end, state, tid]) {
	const ns = end >= 0 ? Number(exactOf(end) - exactOf(begin)) : openUntil(begin) - rows.time[begin];
	const length = duration(ns, 15) + (end >= 0 ? '' : ', and had not ended');
	return `${tidName(image, tid)} ${STATES[state] ?? state} ${length}`;
}

/* What the strip of a lane tells at a time */
function runAt(lane, time) {
	const { begin, end, state, tid } = lane.runs, k = firstBar(lane.runs, time);
	return k >= begin.length || rows.time[begin[k]] > time ? '' :
		runText(lane.image, [begin[k], end[k], state[k], tid[k]]);
}

/* [name, text] for the details of a row: what it ends, and what it begins */
const runFacts = i => (runsOfRow.get(i) ?? [])
	.map(run => [run[0] === i ? 'From now on' : 'Until now', runText(imageOf(i), run)])
	.sort((a, b) => a[0] < b[0] ? 1 : -1);
