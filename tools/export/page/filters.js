/* SPDX-License-Identifier: GPL-2.0 */
/* Which rows are shown: filters by CPUs, tasks and stacks, and what is hidden. */

/* Rows are hidden by these groups.  `items` have a number, a label, a key for an address, and a count of rows. */
const GROUPS = {
	kind: { title: 'Events', items: kinds },
	task: { title: 'Tasks', items: tasks },
	context: { title: 'Contexts', items: contexts.filter(c => c.nr) },
};

function toggle(set, member, button) {
	if (!set.delete(member))
		set.add(member);
	button?.setAttribute('aria-pressed', set.has(member));
	for (const el of document.querySelectorAll('[data-task]'))
		el.setAttribute('aria-pressed', state.tasks.has(+el.dataset.task));
	refilter();
}

function makeTaskButtons() {
	const bar = $('tasks');
	bar.replaceChildren();
	if (!tasks.length) {
		bar.hidden = true;
		return;
	}
	bar.append('Tasks:');
	for (const task of tasks.slice(0, COLOURS)) {
		const swatch = make('span', { className: 'swatch' });
		swatch.style.background = `var(--task-${task.colour})`;
		const name = (several ? `${task.image.number + 1}: ` : '') + task.label;
		const button = make('button', { title: `${count(task.nr)} events` }, swatch, name);
		button.dataset.task = task.number;
		button.setAttribute('aria-pressed', state.tasks.has(task.number));
		button.onclick = () => toggle(state.tasks, task.number, button);
		bar.append(button);
	}
	if (tasks.length > COLOURS) {
		const swatch = make('span', { className: 'swatch' }), nr = tasks.length - COLOURS;
		swatch.style.background = `var(--task-${COLOURS})`;
		bar.append(make('span', {}, swatch, `${count(nr)} other${nr === 1 ? '' : 's'}`));
	}
}

/* Show only the rows of a lane or a task; of all without one. */
function clearFilters(set, member) {
	state.lanes.clear();
	state.tasks.clear();
	for (const group in GROUPS)
		state.hidden[group].clear();
	called.value = '';
	set?.add(member);
	state.height = layOut();
	makeTaskButtons();
	refilter();
}

/* Hide an item of a group, or show it again. */
function hide(group, number) {
	if (!state.hidden[group].delete(number))
		state.hidden[group].add(number);
	refilter();
}

/* The rows that are no item of a group, as the kernel log is no task: hidden if one is alone */
const restOf = group => group === 'kind' ? [] : [-1];

/* Hide all other items of a group; if they are hidden, show all. */
function showAlone(group, number) {
	const others = [...restOf(group), ...GROUPS[group].items.map(item => item.number)]
		.filter(n => n !== number);
	const hidden = state.hidden[group], isAlone = others.every(n => hidden.has(n));
	state.hidden[group] = new Set(isAlone && !hidden.has(number) ? [] : others);
	refilter();
}

/* The name of an item, with the number of its trace if there are several */
const itemName = item => (several && item.image ? `${item.image.number + 1}: ` : '') + item.label;

/* "without irq, rx and 3 others", or "only irq" */
function hiddenText(group) {
	const { items } = GROUPS[group], hidden = state.hidden[group];
	const shown = items.filter(item => !hidden.has(item.number));
	const list = some => some.slice(0, 3).map(itemName).join(', ') +
		(some.length > 3 ? ` and ${count(some.length - 3)} other${some.length > 4 ? 's' : ''}` : '');
	if (!hidden.size)
		return [];
	return [shown.length && (shown.length < hidden.size || hidden.has(-1)) ? `only ${list(shown)}` :
		`without ${list(items.filter(item => hidden.has(item.number)))}`];
}

function tellFilter() {
	const names = [...state.lanes].map(n => lanes[n].label)
		.concat([...state.tasks].map(n => tasks[n].label))
		.concat(Object.keys(GROUPS).flatMap(hiddenText));
	let some = `${count(state.shown.length)} of ${count(rows.nr)} rows`, rest = '';
	if (state.called) {
		names.push(`called from ${called.value}`);
		some = `${count(state.shown.length)} of ${count(events)} events`;
		rest = `; ${count(unstacked)} without a stack`;
	}
	if (state.badCalled)
		names.push('called from: not a regular expression');
	$('filter').replaceChildren();
	if (names.length)
		$('filter').append(`${some}: ${names.join(', ')}${rest}`,
			make('button', { textContent: 'Show all', onclick: () => clearFilters() }));
}

function refilter() {
	state.called = findCallers();
	applyFilters();
	tellFilter();
	tellBetween();
	syncList();
	placeRows();
	table.setAttribute('aria-rowcount', state.shown.length + 1);
	find();
	if (state.selected >= 0)
		scrollTo(state.selected);
	fill();
}
