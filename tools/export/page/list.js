/* SPDX-License-Identifier: GPL-2.0 */
/* The list of events, tasks and contexts, with a box to hide each one. */

const LIST_MOST = 200;		/* items of a group in the list */
const panel = $('list');

function makeItem(group, item) {
	const box = make('input', { type: 'checkbox' });
	const only = make('button', { textContent: 'Only' });
	const label = make('label', {}, box, make('span', { textContent: itemName(item) }));
	label.title = item.place ? `${itemName(item)}, ${item.place}` : itemName(item);
	Object.assign(box.dataset, { group, number: item.number });
	box.onchange = () => hide(group, item.number);
	only.setAttribute('aria-label', `Only ${itemName(item)}`);
	only.onclick = () => showAlone(group, item.number);
	return make('li', {}, label, make('small', { textContent: count(item.nr) }), only);
}

function makeGroup(group) {
	const { title, items } = GROUPS[group], more = items.length - LIST_MOST;
	const all = make('button', { textContent: 'All', onclick: () => {
		state.hidden[group].clear();
		refilter();
	} });
	all.setAttribute('aria-label', `All ${title.toLowerCase()}`);
	const list = items.slice(0, LIST_MOST).map(item => makeItem(group, item));
	if (more > 0)
		list.push(make('li', { textContent: `and ${count(more)} with fewer events` }));
	return items.length < 2 ? [] :
		[make('h3', {}, `${title} `, all), make('ul', {}, ...list)];
}

/* Let the boxes be as what is hidden. */
function syncList() {
	for (const box of panel.querySelectorAll('input'))
		box.checked = !state.hidden[box.dataset.group].has(+box.dataset.number);
}

function toggleList() {
	const open = panel.hidden;
	if (open && !panel.children.length)
		panel.append(...Object.keys(GROUPS).flatMap(makeGroup));
	if (open && !panel.children.length)
		panel.append('There is only one kind of rows.');
	if (panel.contains(document.activeElement))
		$('choose').focus();
	panel.hidden = !open;
	$('events').classList.toggle('listed', open);
	$('choose').setAttribute('aria-expanded', open);
	syncList();
	if (open)
		panel.querySelector('input')?.focus();
	fill();
}
