/* SPDX-License-Identifier: GPL-2.0 */
/* Which rows are shown. */

function toggle(set, member, button) {
	if (!set.delete(member))
		set.add(member);
	button?.setAttribute('aria-pressed', set.has(member));
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
	called.value = '';
	set?.add(member);
	state.height = layOut();
	makeTaskButtons();
	refilter();
}

function tellFilter() {
	const names = [...state.lanes].map(n => lanes[n].label)
		.concat([...state.tasks].map(n => tasks[n].label));
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
	placeRows();
	table.setAttribute('aria-rowcount', state.shown.length + 1);
	find();
	if (state.selected >= 0)
		scrollTo(state.selected);
	fill();
}
