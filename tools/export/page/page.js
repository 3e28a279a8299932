/* SPDX-License-Identifier: GPL-2.0 */
/* The page around the lanes: its head, the table, search, filters and keys. */

const OVERSCAN = 6;		/* rows that the table has outside of what is seen */
const HIGHEST = 8e6;		/* pixels that a browser can scroll without rounding */
const PRINT_MOST = 1000;	/* rows on paper */
const table = $('table'), body = $('rows'), search = $('search');

/* ---- Head ---- */

/* The lines of the text: which kernel, how it ended, what is damaged, how many entries. */
function makeSection(image) {
	const lines = image.head.map(l => l.replace(/^JTRACE: /, ''));
	const who = /^Recorded by /.test(lines[0]) ? lines.shift().slice(12) : 'an unknown kernel';
	const end = /^(It|Its|jtrace) /.test(lines[0]) ? lines.shift().replace(/: *$/, '') : '';
	const [kernel, ...more] = who.split(', ');
	const number = several ? `${image.number + 1}: ` : '';
	const title = make(several ? 'h2' : 'h1', {}, `${number}${kernel} `,
		make('small', { textContent: more.join(', ') }));
	const section = make('section', {}, title);
	const bad = /^It (panicked|hung)/.test(end);
	if (end)
		section.append(make('p', { className: bad ? 'end bad' : 'end', textContent: end }));
	section.append(...makeWhy(image));
	for (const line of lines.filter(l => /^Damaged|no name|jumped|clock/.test(l)))
		section.append(make('p', { className: 'lost', textContent: line }));
	const facts = lines.filter(l => !/^Damaged|no name|jumped|clock/.test(l));
	if (/[1-9a-f]/.test(image.build_id ?? ''))
		facts.push(`build ${image.build_id}`);
	if (image.pairless)
		facts.push(`no durations, because ${image.pairless}`);
	facts.push(image.file);
	if (several && image.offset === null)
		facts.push('its wall clock is lost: it begins with the first of the others');
	section.append(make('p', { className: 'fact', textContent: facts.join(' · ') }));
	return section;
}

/* The row of an entry that shows a finding; -1 if the page has it not. */
function rowOf(image, { time_ns: time, cpu }) {
	for (let i = 0; i < rows.nr; i++)
		if (imageOf(i) === image && !rows.log[i] && cpuOf(i) === cpu && Number(exactOf(i)) === time)
			return i;
	return -1;
}

/* The findings of jtrace why: each one selects the entry that shows it. */
function makeWhy(image) {
	const items = image.why.filter(o => o.type === 'finding').map(f => {
		const button = make('button', { textContent: `${f.text}.` });
		button.onclick = () => {
			clearFilters();
			select(rowOf(image, f.evidence[0] ?? {}));
		};
		return make('li', {}, make('strong', { textContent: f.certainty }), ' ', button);
	});
	return items.length ? [make('ol', { className: 'why' }, ...items)] : [];
}

function makeHead() {
	if (several)
		$('head').append(make('h1', {
			textContent: `${images.length} traces by their wall clock, UTC`,
		}));
	$('head').append(...images.map(makeSection));
	document.title = 'jtrace: ' + images.map(m =>
		`${m.release || m.file} ${m.state ?? 'headers lost'}`).join(', ');
	if (rows.nr)
		document.documentElement.style.setProperty('--time',
			`${timeText(rows.nr - 1).length * 7.6 + 4}px`);
	document.body.classList.toggle('boots', several);
	document.body.classList.toggle('nothing', !rows.nr);
}

/* ---- Table ---- */

const placeIn = i => lowerIndex(state.shown, i);
/* The table scrolls by more than a row a row if all rows are higher than browsers can. */
const stretch = () => Math.max(tops[state.shown.length] / HIGHEST, 1);
const bodyHeight = () => Math.max(table.clientHeight - body.offsetTop, rowHeight());

/* The place of a row in a sorted list, or where it would be. */
function lowerIndex(list, row) {
	let low = 0, high = list.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (list[mid] < row)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The texts of a row, in the order of the columns; `above` is the row it follows. */
function cells(i, above) {
	const event = !rows.log[i];
	const boot = several ? `${rows.image[i] + 1}: ` : '';
	return [
		timeText(i), above < 0 ? '' : micros(rows.time[i] - rows.time[above]),
		boot + (event ? cpuOf(i) : 'log'), rows.task[i] < 0 ? '' : tidText(i),
		event ? (imageOf(i).large ? context(shapeOf(i).context) : '') : '', whatOf(i), placeOf(i),
	];
}

function fillRow(el, place) {
	const i = state.shown[place];
	const texts = cells(i, place ? state.shown[place - 1] : -1);
	/* The keys of a button are not for another row. */
	if (+el.dataset.row !== i && el.contains(document.activeElement))
		table.focus({ preventScroll: true });
	el.id = `row-${i}`;
	el.dataset.row = i;
	el.setAttribute('aria-rowindex', place + 2);
	el.setAttribute('aria-selected', i === state.selected);
	el.className = (state.isHit[i] ? 'hit ' : '') + (rows.log[i] ? 'log' : '');
	texts.forEach((text, k) => { el.children[k].textContent = text; });
	if (texts[3]) {
		const swatch = make('span', { className: 'swatch' });
		swatch.style.background = `var(--task-${colourOf(i)})`;
		el.children[3].prepend(swatch);
	}
	if (stacks.length) {
		el.style.height = `${tops[place + 1] - tops[place]}px`;
		fillStack(el.lastChild, i);
	}
}

/* Show the rows that are seen, by the elements that are there. */
function fill() {
	const at = table.scrollTop * stretch(), top = placeAt(at);
	const end = placeAt(at + bodyHeight() - 1);
	const first = Math.max(top - OVERSCAN, 0);
	const last = Math.min(end + 1 + OVERSCAN, state.shown.length);
	while (body.children.length < last - first) {
		const columns = [...'tdckxep'].map(c => make('span', { className: c }));
		const el = make('div', {}, ...columns, ...stacks.length ? [makeStackCell()] : []);
		el.setAttribute('role', 'row');
		for (const cell of el.children)
			cell.setAttribute('role', 'gridcell');
		body.append(el);
	}
	while (body.children.length > Math.max(last - first, 0))
		body.lastChild.remove();
	for (let place = first; place < last; place++) {
		const el = body.children[place - first];
		el.style.top = `${table.scrollTop + tops[place] - at}px`;
		fillRow(el, place);
	}
	state.band = state.shown.length ? [top, end].map(p => rows.time[state.shown[p]]) : [-1, -1];
	drawSoon();
}

/* Scroll the table so that the row is seen. */
function scrollTo(i) {
	const height = rowHeight(), scale = stretch(), at = table.scrollTop * scale;
	const place = Math.min(placeIn(i), state.shown.length - 1), room = bodyHeight();
	const spare = room - (tops[place + 1] - tops[place]);
	const above = Math.max(Math.min(Math.floor(room / height / 2) * height, spare), 0);
	if (tops[place] < at || tops[place + 1] > at + room)
		table.scrollTop = (tops[place] - above) / scale;
}

/* ---- Selection ---- */

function fact(list, name, text) {
	if (text !== '')
		list.append(make('dt', { textContent: name }), make('dd', { textContent: text }));
}

function lastOnCpu(i) {
	const list = lanes[rows.lane[i]].rows;
	const at = lowerIndex(list, i);
	return at ? list[at - 1] : -1;
}

function fillDetails() {
	const i = state.selected, box = $('details');
	if (box.contains(document.activeElement))
		table.focus({ preventScroll: true });
	box.replaceChildren();
	if (i < 0) {
		box.append(make('p', { className: 'hint', textContent: rows.nr ?
			'Select an event in the lanes or in the table. ? shows the keys.' :
			'No entries, and no lines of the kernel log: there is nothing to show.' }));
		return;
	}
	const image = imageOf(i), event = !rows.log[i], list = make('dl', {}), before = lastOnCpu(i);
	fact(list, 'Since boot', seconds(exactOf(i)));
	if (image.offset !== null) {
		const time = exactOf(i) + image.offset;
		fact(list, 'UTC', `${day(time)} ${wall(time)}`);
	}
	if (before >= 0)
		fact(list, event ? 'Last on CPU' : 'Last line',
			`${duration(rows.time[i] - rows.time[before])} before`);
	if (several)
		fact(list, 'Trace', `${image.number + 1}: ${image.file}`);
	if (event) {
		fact(list, 'CPU', cpuOf(i));
		fact(list, 'Task', tidOf(i) === null ? '' : tidText(i));
		fact(list, 'Context', image.large ? context(shapeOf(i).context) : '');
		const { file, line } = siteOf(i);
		fact(list, 'Place', file ? file + (line ? `:${line}` : '') : '');
		fact(list, 'Function', siteOf(i).function ?? '');
		argsOf(i).forEach(([name, text]) => fact(list, name, text));
		fact(list, ...durationFact(i) ?? ['', '']);
		runFacts(i).forEach(([name, text]) => fact(list, name, text));
	} else {
		fact(list, 'Level', lineOf(i)[1]);
		fact(list, 'Missing before', lineOf(i)[2] ? `${lineOf(i)[2]} messages` : '');
	}
	const act = make('div', { className: 'act' },
		...rows.other[i] < 0 ? [] : [make('button', { title: 'The other half (j)', onclick: goToOther,
			textContent: rows.other[i] > i ? 'To its end' : 'To its begin' })],
		make('button', { textContent: `Only ${lanes[rows.lane[i]].label}`,
			onclick: () => clearFilters(state.lanes, rows.lane[i]) }));
	act.append(make('button', { textContent: 'Since here', title: 'Show the time since then (.)', onclick: showSince }),
		make('button', { textContent: 'Mark', title: 'Measure from here (m)', onclick: markSelected }),
		make('button', { textContent: 'Hide such events', onclick: () => hide('kind', rows.kind[i]) }),
		make('button', { textContent: 'Only such events',
			onclick: () => showAlone('kind', rows.kind[i]) }));
	if (rows.task[i] >= 0)
		act.append(make('button', { textContent: `Only tid ${tidOf(i)}`,
			onclick: () => clearFilters(state.tasks, rows.task[i]) }));
	box.append(make('h2', { textContent: event ? tagOf(i) : lineOf(i)[3] }), list, act);
	if (!isShown(i))
		box.append(make('p', { className: 'lost', textContent: 'This row is not shown in the table.' }));
	if (event)
		box.append(...figuresOf(i));
	if (stackOf(i))
		box.append(make('h3', { textContent: 'Stack' }), frameList(stackOf(i).lines));
}

/* Select a row, everywhere. */
function select(i) {
	if (i < 0 || i >= rows.nr)
		return;
	state.selected = i;
	scrollTo(i);
	showTime(rows.time[i]);
	fill();
	table.setAttribute('aria-activedescendant', `row-${i}`);
	fillDetails();
	tellHits();
}

const isShown = i => state.shown[placeIn(i)] === i;

/* Select the row that is so many rows further; the first time, from the end. */
function step(by) {
	const last = state.shown.length - 1;
	/* The row after one that is hidden is in its place. */
	if (by > 0 && state.selected >= 0 && !isShown(state.selected))
		by--;
	const place = (state.selected < 0 ? last + (by < 0) : placeIn(state.selected)) + by;
	if (last >= 0)
		select(state.shown[Math.min(Math.max(place, 0), last)]);
}

/* ---- Keys ---- */

/* How many rows further is the row a screen below, or above? */
function page(by) {
	const last = state.shown.length - 1, room = bodyHeight() - rowHeight();
	const from = state.selected < 0 ? last : Math.min(placeIn(state.selected), last);
	const to = placeAt(by > 0 ? tops[from] + room : tops[from + 1] - 1 - room);
	return by * Math.max(Math.abs(to - from), 1);
}

/* Do something with the kind of the selected row. */
function ofSelected(act) {
	if (state.selected >= 0)
		act('kind', rows.kind[state.selected]);
}

const KEYS = {
	'/': () => search.focus(), '?': () => $('keys').showModal(),
	'c': () => called.focus(), 's': () => toggleStack(state.selected),
	'e': toggleList, 'f': () => setFolded(!folds.length), 't': nextLanes, 'j': goToOther, 'm': markSelected, 'M': clearMarks, '.': showSince,
	...Object.fromEntries(LASTS.map(([, ns, key]) => [key, () => showLast(ns)])),
	'h': () => ofSelected(hide), 'o': () => ofSelected(showAlone),
	'n': () => jump(1), 'N': () => jump(-1),
	'+': () => zoom(.5, focusPart()), '=': () => zoom(.5, focusPart()),
	'-': () => zoom(2, focusPart()), '_': () => zoom(2, focusPart()),
	'0': () => setView(whole.from, whole.to),
	'ArrowLeft': () => pan(-.15), 'ArrowRight': () => pan(.15),
	'ArrowUp': () => step(-1), 'ArrowDown': () => step(1),
	'PageUp': () => step(page(-1)), 'PageDown': () => step(page(1)),
	'Home': () => step(-rows.nr), 'End': () => step(rows.nr),
	'Escape': () => {
		search.value = '';
		clearFilters();
	},
};

/* Enter in a field: take a regex of an address, or go to the next match. */
function askFor(field, by) {
	if (isHeld(field)) {
		delete field.dataset.held;
		refilter();
	} else if (field === search) {
		jump(by);
	}
}

function onKey(e) {
	const inSearch = e.target === search;
	const inField = inSearch || e.target === called;
	if (e.ctrlKey || e.altKey || e.metaKey || $('keys').open)
		return;
	if (inField && e.key === 'Enter')
		askFor(e.target, e.shiftKey ? -1 : 1);
	else if (KEYS[e.key] && (!inField || e.key === 'Escape'))
		KEYS[e.key]();
	else
		return;
	e.preventDefault();
}

/* ---- Paper ---- */

/* Print the rows of the time that the lanes show. */
function beforePrint() {
	const list = state.shown, first = lowerBound(list, timeOf(view.from));
	const all = lowerBound(list, timeOf(view.to), first) - first, nr = Math.min(all, PRINT_MOST);
	const lines = Array.from({ length: nr }, (_, k) => make('tr', {},
		...cells(list[first + k], first + k ? list[first + k - 1] : -1)
			.map(text => make('td', { textContent: text }))));
	lines.forEach((tr, k) => {
		if (stackOf(list[first + k]))
			tr.cells[5].append(frameList(stackText(list[first + k])));
	});
	$('print').tBodies[0].replaceChildren(...lines);
	$('print').caption.textContent = `${count(nr)} of ${count(rows.nr)} rows` +
		(nr < all ? `: the first of ${count(all)} in this time` : '');
	document.documentElement.classList.add('printing');
	readTheme();
	draw();
}

function afterPrint() {
	$('print').tBodies[0].replaceChildren();
	document.documentElement.classList.remove('printing');
	readTheme();
	drawSoon();
}

/* ---- Begin ---- */

/* If rows get another height, those that were seen are seen again. */
let heightBefore = 0;
function onResize() {
	const first = state.shown[placeAt(table.scrollTop * stretch())], height = rowHeight();
	placeRows();
	if (heightBefore && height !== heightBefore && first !== undefined)
		scrollTo(state.selected >= 0 && isShown(state.selected) ? state.selected : first);
	heightBefore = height;
	fill();
}

function begin() {
	makeHead();
	showStacks();
	makeLasts();
	readTheme();
	state.height = layOut();
	makeTaskButtons();
	refilter();
	/* The last moments come first. */
	table.scrollTop = table.scrollHeight;
	fill();
	fillDetails();
	draw();
	watchPointers(select);
	table.onscroll = fill;
	body.onclick = e => {
		const i = +(e.target.closest('[data-row]')?.dataset.row ?? -1);
		select(i);
		if (e.target.closest('.s button'))
			toggleStack(i);
	};
	search.oninput = () => {
		delete search.dataset.held;
		find();
		fill();
	};
	$('after').onclick = () => jump(1);
	$('before').onclick = () => jump(-1);
	$('in').onclick = KEYS['+'];
	$('out').onclick = KEYS['-'];
	$('whole').onclick = KEYS['0'];
	$('help').onclick = KEYS['?'];
	$('choose').onclick = toggleList;
	$('fold').onclick = KEYS.f;
	$('fold').hidden = !allFolds.length;
	document.addEventListener('keydown', onKey);
	new ResizeObserver(onResize).observe(document.body);
	matchMedia('(prefers-color-scheme: dark)').onchange = () => {
		readTheme();
		drawSoon();
	};
	window.onbeforeprint = beforePrint;
	window.onafterprint = afterPrint;
	followAddress();
	document.body.dataset.ready = rows.nr;
}
begin();
