/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks: folded below their events in the table, and the filter by the functions in them. */

const called = $('called');
const stacks = [...new Set(images.flatMap(m => m.stacks))].filter(s => s);
const events = images.reduce((sum, m) => sum + m.events.nr, 0);
const unstacked = images.flatMap(m => m.stacks).filter(s => !s?.frames.length).length;

/* The stacks with a function that the field asks for; null if it asks for none. */
function findCallers() {
	let matches = null;
	state.badCalled = false;
	try {
		matches = isHeld(called) ? null : matcher(called.value);
	} catch (e) {
		state.badCalled = true;
	}
	called.setAttribute('aria-invalid', state.badCalled);
	/* A line each, as in a search: the name alone, and the frame. */
	return matches && new Set(stacks.filter(s =>
		s.frames.some(f => matches(`${f.split('+')[0]}\n${f}`))));
}

/* The line "called from f+0x1c/0x40", and the lines below if the stack is open */
function stackText(i) {
	const { frames, lines } = stackOf(i);
	const first = frames.length ? `called from ${lines[0]}` : lines[0];
	return [first, ...state.open.has(i) ? lines.slice(1) : []];
}

const frameItems = lines => lines.map(textContent => make('li', { textContent }));
const frameList = lines => make('ol', { className: 'frames' }, ...frameItems(lines));

/* ---- Where the rows are ---- */

const pixels = name =>
	parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name));
const rowHeight = () => pixels('--row');

/* Where the rows of the table begin, and where the last one ends, in pixels */
let tops = new Float64Array(1);

function placeRows() {
	const { shown, open } = state, height = rowHeight(), frame = pixels('--frame');
	tops = new Float64Array(shown.length + 1);
	for (let place = 0; place < shown.length; place++) {
		const i = shown[place], stack = stackOf(i);
		const below = !stack ? 0 : open.has(i) ? stack.lines.length : 1;
		tops[place + 1] = tops[place] + height + below * frame;
	}
	body.style.height = `${Math.min(tops[shown.length], HIGHEST)}px`;
}

/* The place of the row that has this pixel; the first or the last one if none has. */
function placeAt(y) {
	let low = 0, high = Math.max(state.shown.length - 1, 0);
	while (low < high) {
		const mid = (low + high + 1) >> 1;
		if (tops[mid] <= y)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* ---- Folding ---- */

/* A button with the first line, which opens the rest; a stack of one line has none. */
function makeStackCell() {
	return make('div', { className: 's' },
		make('button', {}), make('ol', { className: 'frames' }));
}

function fillStack(cell, i) {
	const [button, list] = cell.children, stack = stackOf(i);
	cell.hidden = !stack;
	if (!stack)
		return;
	const text = stackText(i), folds = stack.lines.length > 1;
	button.hidden = !folds;
	button.textContent = text[0];
	button.setAttribute('aria-expanded', state.open.has(i));
	button.tabIndex = i === state.selected ? 0 : -1;
	list.replaceChildren(...frameItems(folds ? text.slice(1) : text));
	list.hidden = !list.children.length;
}

/* Open or close the stack of a row, and show as much of it as there is room for. */
function toggleStack(i) {
	const place = placeIn(i);
	if (i < 0 || state.shown[place] !== i || !(stackOf(i)?.lines.length > 1))
		return;
	if (!state.open.delete(i))
		state.open.add(i);
	placeRows();
	const hidden = tops[place + 1] - table.scrollTop * stretch() - bodyHeight();
	if (hidden > 0)
		table.scrollTop = Math.min(tops[place], tops[place + 1] - bodyHeight()) / stretch();
	fill();
}

/* Without stacks, the page has nothing of them. */
function showStacks() {
	if (!stacks.length)
		return;
	for (const el of document.querySelectorAll('.stacks'))
		el.hidden = false;
	const title = make('span', { className: 'unseen', textContent: 'Stack' });
	title.setAttribute('role', 'columnheader');
	table.querySelector('.titles [role=row]').append(title);
	table.setAttribute('aria-colcount', 8);
	called.oninput = () => {
		delete called.dataset.held;
		refilter();
	};
}
