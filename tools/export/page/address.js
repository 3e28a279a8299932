/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The address of the page tells, behind its "#", what is shown: so a link leads to the same view.
 *
 *	find, called: texts of the fields        cpus, tasks: only these
 *	hide, hide-tasks, hide-contexts: not these; only, only-tasks, only-contexts: not the others
 *	fold: no, if times without rows are not folded
 *	lanes: all, of up to 60 tasks of an image, or none
 *	from, to: the time that the lanes show, ns since the first row; at: the selected row; marks:
 *	rows that are marked
 *
 * An address may come from anybody: what the page does not know is left out, and a regex waits.
 */

const ADDRESS_DELAY = 200;	/* ms; browsers refuse to change it very often */
const HIDE_NAMES = { kind: '', task: '-tasks', context: '-contexts' };

const laneKey = lane => (several ? `${lane.image.number}.` : '') + (lane.cpu < 0 ? 'log' : lane.cpu);

/* The keys of what is hidden, or of what is not, if that is less: [parameter, keys] */
function hiddenKeys(group) {
	const { items } = GROUPS[group], hidden = state.hidden[group];
	const shown = items.filter(item => !hidden.has(item.number));
	const few = !shown.length || (hidden.size * 2 <= items.length && !hidden.has(-1));
	const list = items.filter(item => hidden.has(item.number) === few);
	return [(few ? 'hide' : 'only') + HIDE_NAMES[group], list.map(item => item.key).join()];
}

/* The part of the address behind "#" */
function addressText() {
	const isWhole = view.from <= whole.from && view.to >= whole.to;
	const parts = [
		['find', search.value], ['called', called.value],
		['cpus', [...state.lanes].map(n => laneKey(lanes[n])).join()],
		['tasks', [...state.tasks].map(n => tasks[n].key).join()],
		...Object.keys(GROUPS).map(hiddenKeys),
		['lanes', state.taskLanes === 'few' ? '' : state.taskLanes],
		['fold', allFolds.length && !folds.length ? 'no' : ''],
		['from', isWhole ? '' : Math.round(timeOf(view.from))],
		['to', isWhole ? '' : Math.round(timeOf(view.to))],
		['at', state.selected < 0 ? '' : state.selected], ['marks', state.marks.join()],
	];
	return new URLSearchParams(parts.filter(part => `${part[1]}`)).toString();
}

/* The numbers of the items that a parameter names */
function numbersOf(value, items, keyOf) {
	const byKey = new Map(items.map((item, number) => [`${keyOf(item)}`, item.number ?? number]));
	return new Set((value ?? '').split(',').map(key => byKey.get(key)).filter(n => n !== undefined));
}

function readHidden(p, group) {
	const { items } = GROUPS[group];
	const only = p.get(`only${HIDE_NAMES[group]}`), keyOf = item => item.key;
	const named = numbersOf(only ?? p.get(`hide${HIDE_NAMES[group]}`), items, keyOf);
	/* An address that names nothing of this page hides nothing. */
	return only === null || !named.size ? named :
		new Set([...restOf(group), ...items.map(item => item.number)].filter(n => !named.has(n)));
}

/* Show what the address tells. */
function readAddress() {
	const p = new URLSearchParams(location.hash.slice(1));
	const number = name => /^-?\d{1,20}$/.test(p.get(name) ?? '') ? +p.get(name) : null;
	const from = number('from'), to = number('to'), at = number('at');

	search.value = search.dataset.held = p.get('find') ?? '';
	called.value = called.dataset.held = p.get('called') ?? '';
	state.lanes = numbersOf(p.get('cpus'), lanes, laneKey);
	state.tasks = numbersOf(p.get('tasks'), tasks, task => task.key);
	for (const group in GROUPS)
		state.hidden[group] = readHidden(p, group);
	state.marks = (p.get('marks') ?? '').split(',').filter(text => /^\d{1,9}$/.test(text))
		.map(Number).filter(i => i < rows.nr).slice(0, 2);
	setFolded(p.get('fold') !== 'no');
	state.taskLanes = Object.hasOwn(NEXT_LANES, p.get('lanes') ?? '') ? p.get('lanes') : 'few';
	state.height = layOut();
	makeTaskButtons();
	state.selected = -1;
	refilter();
	fillDetails();
	tellMarks();
	if (at !== null)
		select(at);
	if (from !== null && to !== null && from < to)
		showTimes(from, to);
	else
		setView(whole.from, whole.to);
}

/* Tell the view in the address, soon. */
let addressTimer = 0, addressTold = '';
function tellAddress() {
	clearTimeout(addressTimer);
	addressTimer = setTimeout(() => {
		addressTold = addressText();
		if (addressTold !== location.hash.slice(1))
			history.replaceState(null, '', `#${addressTold}`);
	}, ADDRESS_DELAY);
}

function followAddress() {
	window.onhashchange = () => {
		if (location.hash.slice(1) !== addressTold)
			readAddress();
	};
	if (location.hash.length > 1)
		readAddress();
}
