// SPDX-License-Identifier: GPL-2.0
/* The stacks on a page, judged by those of jtrace --json.  page.mjs has the usage. */

import { readFileSync } from 'node:fs';

const END = { cut: '...', broken: '(the rest of the stack could not be read)' };
const LOST = '(its stack is lost)';

/* The frames of an event; of a call, its caller; none without a stack */
const framesIn = o => o.stack?.map(f => f.symbol ?? f.address) ??
	(o.file === 'function' ? [o.symbols?.caller ?? o.args.caller] : []);

/* What jtrace -d prints below an event, and the caller of a call; null without a stack. */
function framesOf(o) {
	if (o.file === 'function')
		return framesIn(o);
	if (o.stack === undefined)
		return null;
	if (!o.stack?.length)
		return [o.stack ? '(its stack is empty)' : LOST];
	return o.stack.map(f => f.symbol ?? f.address ?? '?').concat(END[o.stack_end] ?? []);
}

/* The first line of a stack, and the lines below */
function seen(lines, open) {
	const first = (lines[0].startsWith('(') ? '' : 'called from ') + lines[0];
	return [first, ...open ? lines.slice(1) : []];
}

/* The lines that are seen below an event, and whether they are open; null without a stack. */
const stackIn = (page, row) => page.evaluate(i => {
	const cell = document.querySelector(`#row-${i} .s`);
	if (!cell?.checkVisibility())
		return null;
	const button = cell.querySelector('button'), shown = e => e.checkVisibility();
	return {
		lines: [...cell.querySelectorAll('button, li')].filter(shown)
			.map(e => e.textContent),
		open: shown(button) ? button.getAttribute('aria-expanded') : 'no button',
	};
}, row);

const textsOf = (page, selector) => page.$$eval(selector, list => list.map(e => e.textContent));
const selected = page => page.getAttribute('[aria-selected=true]', 'data-row');

/* How far a row reaches below the table, or into the row below, which begins where it ends */
const overlap = (page, row) => page.evaluate(i => {
	const box = what => document.querySelector(what)?.getBoundingClientRect();
	const { bottom } = box(`#row-${i}`), next = box(`#row-${i + 1}`)?.top ?? bottom;
	const last = box(`#row-${i} .s:not([hidden]) li:last-child`)?.bottom ?? bottom;
	return [bottom - box('#table').bottom, Math.max(Math.abs(bottom - next), last - bottom)];
}, row);

/* Each one closed, opened by its key, and in the details */
async function testEach({ check, same, drawn }, page, want) {
	const faults = [], ends = new Set();
	await page.focus('#table');
	await page.keyboard.press('Home');
	for (let row = 0; row < want.length; row++) {
		const lines = want[row], folds = lines?.length > 1;
		const state = open => lines && {
			lines: seen(lines, open), open: folds ? String(open) : 'no button',
		};
		const right = { closed: state(false), opened: state(true), details: lines ?? [] };
		const closed = await stackIn(page, row);
		await page.keyboard.press('s');
		const is = { closed, opened: await stackIn(page, row),
			details: await textsOf(page, '#details .frames li') };
		const [below, into] = await overlap(page, row);
		if (JSON.stringify(is) !== JSON.stringify(right) || below > 1 || into > .5)
			faults.push({ row, is, right, below, into });
		ends.add(`${lines?.at(-1)}`);
		await page.keyboard.press('s');
		await page.keyboard.press('ArrowDown');
	}
	await drawn(page);
	check('stacks: closed, open and in the details they are those of --json', !faults.length,
		faults.slice(0, 2));
	const kinds = ['undefined', END.cut, END.broken, LOST, 'do_syscall_64+0x30/0x100'];
	check('stacks: of all kinds', kinds.every(k => ends.has(k)), [...ends]);
	same('stacks: closed again', await page.locator('#rows [aria-expanded=true]').count(), 0);
}

async function testFolds(tools) {
	const { check, same, said, open, close, drawn } = tools;
	const page = await open('stacks'), want = said('stacks').map(framesOf);
	await testEach(tools, page, want);

	/* By a click, and by the keys of the button, to which Tab leads from the table. */
	await page.keyboard.press('Home');
	const row = want.findIndex(l => l?.length > 4);
	await page.click(`#row-${row} .s button`);
	same('stacks: a click opens', (await stackIn(page, row)).lines.length, want[row].length);
	same('stacks: and selects', await selected(page), String(row));
	await page.focus('#table');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Space');
	same('stacks: Tab and Space close', (await stackIn(page, row)).open, 'false');
	await page.keyboard.press('Enter');
	same('stacks: Enter opens', (await stackIn(page, row)).open, 'true');
	await page.evaluate(() => { document.getElementById('table').scrollTop = 1e6; });
	await drawn(page);
	same('stacks: a button that scrolls away takes no more keys',
		await page.evaluate(() => document.activeElement.id), 'table');

	/* At the end of the table, with little room below. */
	const end = want.findLastIndex(l => l?.length > 4);
	await page.keyboard.press('End');
	while (await selected(page) !== String(end))
		await page.keyboard.press('ArrowUp');
	await page.keyboard.press('s');
	await drawn(page);
	check('stacks: one that opens at the end is seen', (await overlap(page, end))[0] <= 1, end);

	await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
	const paper = await page.$$eval('#print tbody tr', list => list.map(tr =>
		[...tr.querySelectorAll('li')].map(li => li.textContent)));
	same('stacks: paper has those that are open', JSON.stringify(paper),
		JSON.stringify(want.map((l, i) => l ? seen(l, [row, end].includes(i)) : [])));
	await close(page, 'stacks');
}

async function testCalled({ check, same, said, open, close, text }) {
	const page = await open('stacks'), want = said('stacks');
	const events = want.filter(o => o.type === 'event');
	const none = events.filter(o => !framesIn(o).length).length;
	const passes = (o, test) => framesIn(o).some(f => f && test(f));
	const tests = {
		'IOCTL': n => n.includes('ioctl'), '<script>': n => n.includes('<script>'),
		'/^widget_irq$/': n => n.startsWith('widget_irq+'), 'no such function': () => false,
		/* Lines that are no frames */
		'...': () => false, 'stack': () => false,
	};
	for (const [query, test] of Object.entries(tests)) {
		await page.fill('#called', query);
		const rows = want.map((o, i) => passes(o, test) ? i : -1).filter(i => i >= 0);
		same(`called from ${query}: is counted`, await text(page, 'filter'),
			`${rows.length} of ${events.length} events: called from ${query}; ` +
			`${none} without a stackShow all`);
		same(`called from ${query}: rows`,
			await page.getAttribute('#table', 'aria-rowcount'), String(rows.length + 1));
		const shown = await page.$$eval('#rows > div', l => l.map(e => +e.dataset.row));
		check(`called from ${query}: which`, shown.every(i => rows.includes(i)), shown);
	}
	await page.fill('#called', '/(/');
	const told = await text(page, 'filter');
	check('called from: no expression', told.includes('not a regular expression'), told);

	/* With another filter, a search, and the keys that lead to it and out of it. */
	await page.keyboard.press('Escape');
	same('called from: Escape', await page.inputValue('#called'), '');
	same('called from: Escape shows all', await text(page, 'filter'), '');
	await page.focus('#table');
	await page.keyboard.press('c');
	await page.keyboard.type('irq');
	await page.click('#labels button:has-text("CPU 1")');
	const both = want.filter(o => o.cpu === 1 && passes(o, n => n.includes('irq')));
	same('called from, and a CPU', await page.getAttribute('#table', 'aria-rowcount'),
		String(both.length + 1));
	await page.fill('#search', 'take');
	same('called from, and a search', await text(page, 'count'),
		`${both.filter(o => o.tag.startsWith('take')).length} matches`);
	await page.click('#filter button');
	same('called from: Show all', await page.getAttribute('#table', 'aria-rowcount'),
		String(want.length + 1));
	await page.focus('#table');
	await page.keyboard.press('?');
	const help = page.locator('#keys p:has-text("Called from")');
	check('called from: the help has it', await help.isVisible(), 0);
	await close(page, 'called from');
}

/* A page has each distinct stack once, and without stacks it has nothing of them. */
async function testNoStacks({ dir, same, said, open, close }) {
	const [, rows] = /"rows":"([^"]*)"/.exec(readFileSync(`${dir}/stacks.html`, 'utf8'));
	const data = Buffer.from(rows, 'base64').toString('latin1').match(/\{"stack":/g);
	const distinct = new Set(said('stacks').filter(o => o.stack !== undefined)
		.map(o => JSON.stringify([o.stack, o.stack_end])));
	same('stacks: the page has each one once', data.length, distinct.size);
	const page = await open('driver');
	await page.focus('#table');
	await page.keyboard.press('End');
	await page.keyboard.press('s');
	await page.keyboard.press('c');
	await page.keyboard.press('?');
	same('no stacks: nothing of them', await page.$$eval('.stacks, .s, .frames', list =>
		list.filter(e => e.checkVisibility()).length), 0);
	same('no stacks: seven columns', await page.getAttribute('#table', 'aria-colcount'), '7');
	same('no stacks: and their titles', await page.locator('[role=columnheader]').count(), 7);
	const box = await page.locator('#rows > div').last().boundingBox();
	same('no stacks: the height of a row', box.height, 24);
	await close(page, 'no stacks');
}

/* @tools: what page.mjs has for tests */
export const stackTests = tools => Object.fromEntries(
	[testFolds, testCalled, testNoStacks].map(test => [test.name, () => test(tools)]));
