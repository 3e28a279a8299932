// SPDX-License-Identifier: GPL-2.0
/*
 * Open the pages in a browser, and judge what they show by the output of jtrace --json.
 *
 * Usage: node page.mjs MODULES PAGES PICTURES PICTURE [TEST...]
 *	PICTURE: the one for the README, or "" for none
 */

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, statSync } from 'node:fs';
import { counterTests } from './counters.mjs';
import { crashTests } from './crash.mjs';
import { durationTests } from './durations.mjs';
import { figureTests } from './figures.mjs';
import { filterTests } from './filters.mjs';
import { foldTests } from './fold.mjs';
import { measureTests } from './measure.mjs';
import { runTests } from './runs.mjs';
import { stackTests } from './stacks.mjs';

const [modules, dir, pictures, picture, ...names] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require(`${modules}/playwright-core`);
const axe = readFileSync(`${modules}/axe-core/axe.min.js`, 'utf8');

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

let passed = 0, failed = 0;
function check(name, ok, got) {
	if (ok)
		passed++;
	else
		failed++;
	console.log(`${ok ? 'ok' : 'not ok'} ${passed + failed} - ${name}${ok ? '' : `: ${JSON.stringify(got)}`}`);
}
const same = (name, got, want) => check(name, got === want, { got, want });

/* The events and lines of jtrace --json -d -m, in the order of the page. */
function said(image) {
	const run = more => execFileSync(`${dir}/jtrace`, ['--json', '-d', ...more, `${dir}/${image}`],
		{ maxBuffer: 1 << 30, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
	let text;
	try {
		text = run(['-m']);
	} catch {
		text = run([]);
	}
	return text.trim().split('\n').map(l => JSON.parse(l)).filter(o => o.type === 'event' || o.type === 'log');
}

const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

/* Open a page; anything that it asks the network for, or complains about, is noted. */
async function open(name, size = DESKTOP, scheme = 'light', scale = size === PHONE ? 2 : 1, hash = '') {
	const context = await browser.newContext({
		viewport: size, colorScheme: scheme, hasTouch: size === PHONE, isMobile: size === PHONE,
		deviceScaleFactor: scale,
	});
	const page = await context.newPage();
	page.notes = [];
	const url = `file://${dir}/${name}.html`;
	page.on('request', r => r.url() === url || page.notes.push(`request ${r.url()}`));
	page.on('console', m => page.notes.push(`console ${m.text()}`));
	page.on('pageerror', e => page.notes.push(`error ${e.message}`));
	page.on('dialog', d => { page.notes.push('dialog'); d.dismiss(); });
	await page.goto(url + hash);
	await page.waitForSelector('body[data-ready]');
	return page;
}

async function close(page, name) {
	check(`${name}: asks for nothing, no errors`, page.notes.length === 0, page.notes);
	await page.context().close();
}

/* Wait until what was asked for is drawn, and return what the canvas tells. */
async function drawn(page) {
	return page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
		const { marks, from, to, ms } = document.getElementById('marks').dataset;
		done({ marks: +marks, from: +from, to: +to, ms: +ms,
			width: document.getElementById('marks').clientWidth,
			lanes: document.querySelectorAll('#labels button').length });
	}))));
}

const text = (page, id) => page.evaluate(i => document.getElementById(i).textContent, id);
const cellsOf = (page, row) => page.evaluate(i => {
	const el = document.getElementById(`row-${i}`);
	return el && [...el.children].map(c => c.textContent);
}, row);

async function accessible(page, name) {
	const violations = await page.evaluate(async source => {
		(0, eval)(source);
		const result = await axe.run({ resultTypes: ['violations'] });
		return result.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)} ${v.nodes[0].failureSummary}`);
	}, axe).catch(e => [`axe: ${e.message.slice(0, 300)}`]);
	check(`${name}: axe finds nothing`, violations.length === 0, violations);
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	check(`${name}: nothing is wider than the window`, wide <= 0, wide);
}

/* ---- Each page, on each screen, in light and dark ---- */

async function testLooks() {
	for (const name of ['empty', 'ten', 'mid', 'hostile', 'headless', 'golden', 'driver', 'two', 'large', 'stacks', 'usage']) {
		for (const [size, where] of [[DESKTOP, 'desktop'], [PHONE, 'phone']]) {
			for (const scheme of ['light', 'dark']) {
				if (scheme === 'dark' && !['driver', 'two', 'stacks', 'usage'].includes(name))
					continue;
				const what = `${name} ${where} ${scheme}`;
				const page = await open(name, size, scheme);
				if (name === 'driver') {
					await page.fill('#search', 'timeout');
					await page.press('#search', 'Enter');
				}
				if (name === 'stacks') {
					await page.fill('#called', 'ioctl');
					for (const n of [3, 1])
						await page.click(`#rows > div:nth-child(${n}) .s button`);
				}
				await drawn(page);
				await page.screenshot({ path: `${pictures}/${what.replaceAll(' ', '-')}.png`, fullPage: size === PHONE });
				await accessible(page, what);
				await close(page, what);
			}
		}
	}
}

/* ---- What was unfinished ---- */

async function testWhy() {
	const lines = execFileSync(`${dir}/jtrace`, ['why', '--json', `${dir}/hung`], { encoding: 'utf8' });
	const findings = lines.trim().split('\n').map(l => JSON.parse(l)).filter(o => o.type === 'finding');
	const page = await open('hung');
	const shown = () => page.$$eval('.why li', list => list.map(l => l.textContent));
	check('why: findings', findings.length > 0 && JSON.stringify(await shown()) ===
		JSON.stringify(findings.map(f => `${f.certainty} ${f.text}.`)), await shown());
	/* Also if it is hidden. */
	await page.click('#labels button >> nth=0');
	await page.click('.why button');
	const time = `${findings[0].evidence[0].time_ns}`.padStart(10, '0');
	const cells = await page.$eval('#table [aria-selected=true]', el => [...el.children].map(c => c.textContent));
	check('why: a finding selects its entry', cells[0] === `${time.slice(0, -9)}.${time.slice(-9)}` &&
		cells[2] === `${findings[0].evidence[0].cpu}`, cells);
	await accessible(page, 'why');
	await close(page, 'why');
	const other = await open('ten');
	check('why: nothing to say', await other.$('.why') === null, true);
	await close(other, 'why: nothing');
}

/* ---- Rows ---- */

/* JSON has names as they are, the page as the text output. */
const task = o => `tid ${o.tid}` + (o.task === undefined ? '' : ` ${o.task}`);

/* A value as the text output has it: JSON has all digits of hexadecimal ones. */
function wanted(o) {
	if (o.type === 'log')
		return { cpu: 'log', what: o.text, tid: '', place: '' };
	const args = Object.entries(o.args ?? {}).filter(([n]) => !n.endsWith('_hex') || !(n.slice(0, -4) in o.args));
	return { cpu: `${o.cpu}`, tid: o.tid === undefined ? '' : task(o), args,
		place: o.tag === null ? '' : `${o.file.split('/').at(-1)}:${o.function}${o.line ? `:${o.line}` : ''}` };
}

const short = v => typeof v === 'string' && /^0x[0-9a-f]+$/.test(v) ? '0x' + (v.slice(2).replace(/^0+/, '') || '0') : String(v);

function rowFault(got, o, before) {
	const want = wanted(o);
	if (o.time !== undefined && got[0] !== o.time)
		return `time ${got[0]}, not ${o.time}`;
	if (o.time !== undefined && before?.time !== undefined &&
	    Math.abs(got[1] * 1000 - (o.time_ns - before.time_ns)) > .6)
		return `delta ${got[1]}`;
	if (got[2] !== want.cpu || got[3] !== want.tid)
		return `CPU ${got[2]}, ${got[3]}`;
	if (o.type === 'event' && o.context !== undefined && got[4] !== o.context)
		return `context ${got[4]}`;
	if (o.type === 'log')
		return got[5] === want.what ? '' : `line ${got[5]}`;
	for (const [name, value] of want.args)
		if (!/["�\\\p{C}]/u.test(value) && !`${got[5]} `.includes(typeof value === 'string' && !/^(0x|-?[0-9])/.test(value) ?
			`${name}="${value}" ` : `${name}=${short(value)} `))
			return `${name} in ${got[5]}`;
	return got[6] === want.place ? '' : `place ${got[6]}`;
}

async function testRows(name) {
	const page = await open(name), want = said(name);
	same(`${name}: rows`, await page.evaluate(() => +document.body.dataset.ready), want.length);
	same(`${name}: rows that a reader is told`,
		await page.getAttribute('#table', 'aria-rowcount'), String(want.length + 1));
	const faults = [];
	let judged = 0;
	for (let k = 0; k <= 20; k++) {
		await page.evaluate(part => {
			const t = document.getElementById('table');
			t.scrollTop = (t.scrollHeight - t.clientHeight) * part;
		}, k / 20);
		await drawn(page);
		const seen = await page.evaluate(() => [...document.querySelectorAll('#rows > div')].map(el =>
			[+el.dataset.row, [...el.children].map(c => c.textContent)]));
		check(`${name}: few elements at ${k}/20`, seen.length > 0 && seen.length < 80, seen.length);
		for (const [row, got] of seen) {
			const fault = rowFault(got, want[row], want[row - 1]);
			judged++;
			if (fault)
				faults.push(`row ${row}: ${fault}`);
		}
		if (k === 20)
			check(`${name}: the last row is reached`, seen.some(([row]) => row === want.length - 1), seen.at(-1));
	}
	check(`${name}: ${judged} rows are those of --json`, faults.length === 0 && judged > 10, faults.slice(0, 5));
	await close(page, name);
}

/* ---- Drawing and zoom ---- */

async function testZoom() {
	const page = await open('large');
	const box = await page.locator('#marks').boundingBox();
	const times = [];
	let most = 0, drift = 0, limit = 0;
	for (const [steps, delta] of [[45, -200], [50, 200], [20, -100]]) {
		for (let n = 0; n < steps; n++) {
			const x = box.x + box.width * (n % 7 + 1) / 9;
			const was = await drawn(page);
			await page.mouse.move(x, box.y + 20);
			await page.mouse.wheel(0, delta);
			const is = await drawn(page);
			const part = (x - box.x) / box.width;
			const time = v => v.from + (v.to - v.from) * part;
			if (delta < 0)
				drift = Math.max(drift, Math.abs(time(was) - time(is)) / (was.to - was.from) * box.width);
			most = Math.max(most, is.marks);
			times.push(is.ms);
			limit = 3 * is.width * is.lanes;
		}
	}
	check(`large: at most ${most} marks drawn, ${limit} would be 3 a pixel`, most > 0 && most <= limit, most);
	check('large: zooming in keeps the time under the pointer', drift < 1, drift);
	times.sort((a, b) => a - b);
	console.log(`# large: a step is drawn in ${times[57]} ms, the slowest of 115 in ${times[114]} ms`);
	await page.keyboard.press('0');
	const all = await drawn(page);
	await page.mouse.move(box.x + 300, box.y + 20);
	await page.mouse.wheel(0, -200);
	const near = await drawn(page);
	await page.mouse.down();
	await page.mouse.move(box.x + 400, box.y + 20, { steps: 5 });
	await page.mouse.up();
	const moved = await drawn(page);
	check('large: dragging moves', moved.from < near.from && Math.abs((moved.to - moved.from) / (near.to - near.from) - 1) < 1e-9, moved);
	await page.keyboard.press('0');
	check('large: 0 shows all', Math.abs((await drawn(page)).from - all.from) < 1, all);
	await close(page, 'large: zoom');
}

async function testPinch() {
	const page = await open('mid', PHONE);
	const box = await page.locator('#marks').boundingBox();
	const cdp = await page.context().newCDPSession(page);
	const was = await drawn(page);
	const touch = (type, points) => cdp.send('Input.dispatchTouchEvent', { type,
		touchPoints: points.map((x, id) => ({ x: box.x + x, y: box.y + 20, id })) });
	await touch('touchStart', [120, 160]);
	for (let n = 1; n <= 8; n++)
		await touch('touchMove', [120 - 8 * n, 160 + 8 * n]);
	await touch('touchEnd', []);
	const is = await drawn(page);
	const ratio = (was.to - was.from) / (is.to - is.from);
	check('two fingers zoom as far as they part', Math.abs(ratio - 168 / 40) < .3, ratio);
	const middle = v => v.from + (v.to - v.from) * 140 / box.width;
	check('two fingers keep the time between them', Math.abs(middle(was) - middle(is)) / (was.to - was.from) * box.width < 1.5,
		middle(is) - middle(was));
	await close(page, 'pinch');
}

/* ---- Search ---- */

const lines = o => o.type === 'log' ? [o.text] : [
	o.tag, o.function, o.file, task(o),
	...Object.entries(o.args ?? {}).map(([n, v]) => `${n}=${short(v)}`),
].filter(l => l !== null);

/* Arguments by their names, else by their places */
const argsIn = o => o.args ?? (o.type === 'log' ? {} : Object.fromEntries([...'abcdef'].map(n => [n, o[n]])
	.filter(([, v]) => v !== undefined)));

async function testSearch(name, queries) {
	const page = await open(name), want = said(name);
	for (const query of queries) {
		const regex = query.match(/^\/(.*)\/(i?)$/);
		const [, arg, number] = /^(?:([a-z]\w*)=)?(0x[0-9a-f]+|-?\d+)$/.exec(query) ?? [];
		const equal = o => Object.entries(argsIn(o)).some(([n, v]) => n === (arg ?? n) && /^(0x[0-9a-f]+|-?\d+)$/.test(v) &&
			BigInt(v) === BigInt(number));
		const test = regex ? l => new RegExp(regex[1], regex[2]).test(l) :
			l => l.toLowerCase().includes(query.toLowerCase());
		const hits = want.map((o, i) => (!arg && lines(o).some(test)) || (number && equal(o)) ? i : -1).filter(i => i >= 0);
		await page.fill('#search', query);
		/* The row that was found before is a match of this one, too: "4 of 400 matches". */
		const told = (await text(page, 'count')).replaceAll(',', '').replace(/^\d+ of /, '');
		same(`${name}: "${query}" is counted`, told,
			`${hits.length || 'no'} match${hits.length === 1 ? '' : 'es'}`);
		if (!hits.length)
			continue;
		await page.press('#search', 'Enter');
		const at = await page.getAttribute('[aria-selected=true]', 'data-row');
		check(`${name}: "${query}" is found`, hits.includes(+at), at);
		await page.press('#search', 'Enter');
		await page.press('#search', 'Shift+Enter');
		same(`${name}: "${query}" again`, await page.getAttribute('[aria-selected=true]', 'data-row'), at);
	}
	await page.fill('#search', '/(/');
	same(`${name}: no expression`, await text(page, 'count'), 'Not a regular expression');
	same(`${name}: the count is announced`, await page.getAttribute('#count', 'aria-live'), 'polite');
	await close(page, `${name}: search`);
}

/* ---- Keys alone ---- */

async function testKeys() {
	const page = await open('driver'), want = said('driver');
	const focused = [];
	for (let n = 0; n < 60; n++) {
		await page.keyboard.press('Tab');
		const at = await page.evaluate(() => {
			const el = document.activeElement, style = getComputedStyle(el);
			return { id: el.id || el.textContent, outline: el === document.body || (style.outlineStyle !== 'none' &&
				parseFloat(style.outlineWidth) >= 2) };
		});
		check(`keys: focus is seen on ${at.id}`, at.outline, at);
		focused.push(at.id);
		if (at.id === 'table')
			break;
	}
	for (const id of ['search', 'in', 'help', 'marks', 'table', 'CPU 0'])
		check(`keys: Tab reaches ${id}`, focused.some(f => f.startsWith(id)), focused);
	const selected = () => page.getAttribute('[aria-selected=true]', 'data-row');
	await page.keyboard.press('End');
	same('keys: End', await selected(), String(want.length - 1));
	await page.keyboard.press('Home');
	same('keys: Home', await selected(), '0');
	await page.keyboard.press('ArrowDown');
	same('keys: down', await selected(), '1');
	same('keys: the table tells which row', await page.getAttribute('#table', 'aria-activedescendant'), 'row-1');
	await page.keyboard.press('PageDown');
	check('keys: a page', +await selected() > 5, await selected());
	const was = await drawn(page);
	await page.keyboard.press('+');
	const near = await drawn(page);
	check('keys: +', Math.abs((was.to - was.from) / (near.to - near.from) - 2) < .01, near);
	await page.keyboard.press('ArrowRight');
	check('keys: right', (await drawn(page)).from > near.from, near);
	await page.keyboard.press('-');
	await page.keyboard.press('-');
	check('keys: -', Math.abs((await drawn(page)).from - was.from) < 1, was);
	await page.keyboard.press('/');
	await page.keyboard.type('timeout');
	await page.keyboard.press('Enter');
	const first = await selected();
	await page.keyboard.press('Tab');
	await page.keyboard.press('n');
	check('keys: n', +await selected() > +first, await selected());
	await page.keyboard.press('N');
	same('keys: N', await selected(), first);
	await page.keyboard.press('Escape');
	same('keys: Escape', await page.inputValue('#search'), '');
	await page.keyboard.press('?');
	check('keys: ? opens the help', await page.isVisible('#keys'), 0);
	await page.screenshot({ path: `${pictures}/help.png` });
	await accessible(page, 'help');
	await page.keyboard.press('Escape');
	check('keys: Escape closes it', !await page.isVisible('#keys'), 0);
	await page.click('#help');
	await page.keyboard.press('Enter');
	check('keys: the button closes it', !await page.isVisible('#keys'), 0);
	await close(page, 'keys');
}

/* ---- Clicks ---- */

async function testClicks() {
	const page = await open('driver'), want = said('driver');
	const cpu = want.filter(o => o.cpu === 1).length;
	await page.click('#labels button:has-text("CPU 1")');
	same('a click on a CPU shows only its events', await page.getAttribute('#table', 'aria-rowcount'), String(cpu + 1));
	check('and the page says so', (await text(page, 'filter')).startsWith(`${cpu} of ${want.length} rows: CPU 1`),
		await text(page, 'filter'));
	await page.screenshot({ path: `${pictures}/filter.png` });
	await accessible(page, 'filter');
	await page.click('#filter button');
	same('Show all', await page.getAttribute('#table', 'aria-rowcount'), String(want.length + 1));
	const tid = want.filter(o => o.tid === 507).length;
	await page.click('#tasks button:has-text("tid 507")');
	same('a click on a task', await page.getAttribute('#table', 'aria-rowcount'), String(tid + 1));
	await page.click('#tasks button:has-text("tid 507")');
	/* The mark of the last row of CPU 3 is where its time is. */
	const row = want.findLastIndex(o => o.cpu === 3);
	const box = await page.locator('#marks').boundingBox();
	const v = await drawn(page);
	const label = await page.locator('#labels button:has-text("CPU 3")').boundingBox();
	const start = want[0].time_ns;
	const x = (want[row].time_ns - start - v.from) / (v.to - v.from) * box.width;
	await page.mouse.click(box.x + x + 1, label.y + label.height / 2);
	const got = +await page.getAttribute('[aria-selected=true]', 'data-row');
	check('a click on a mark selects its row', want[got]?.cpu === 3 && Math.abs(want[got].time_ns - want[row].time_ns) < (v.to - v.from) / box.width * 9, got);
	await page.click('#rows > div:nth-child(8)');
	check('a click in the table', !(await page.getAttribute('[aria-selected=true]', 'data-row')).startsWith(String(got)), got);
	await close(page, 'clicks');
}

/* ---- The last event of each CPU ---- */

async function testLast() {
	const page = await open('driver'), want = said('driver');
	const panic = 5000730000;
	for (const cpu of [0, 1, 2, 3]) {
		const last = want.findLast(o => o.cpu === cpu);
		const label = page.locator(`#labels button:has-text("CPU ${cpu}")`);
		same(`the last event of CPU ${cpu}`, await label.textContent(),
			`CPU ${cpu}−${(panic - last.time_ns) / 1000} µs`);
		check(`the time of the last event of CPU ${cpu}`, (await label.getAttribute('title')).startsWith(`CPU ${cpu}: last event at ${last.time}, `), last);
	}
	await drawn(page);
	const rows = await page.evaluate(() => {
		const box = document.getElementById('table').getBoundingClientRect();
		return [...document.querySelectorAll('#rows > div')].filter(el =>
			el.getBoundingClientRect().bottom <= box.bottom + 1).map(el => +el.dataset.row);
	});
	same('the table opens at its end', rows.at(-1), want.length - 1);
	await page.keyboard.press('ArrowUp');
	same('keys begin at the end', await page.getAttribute('[aria-selected=true]', 'data-row'),
		String(want.length - 1));
	await close(page, 'last');
}

/* ---- Hostile strings, two traces, paper, time ---- */

async function testHostile() {
	const page = await open('hostile');
	const shown = await page.evaluate(() => [...document.querySelectorAll('#rows > div')].map(el => el.children[5].textContent));
	for (const [part, i] of [['</script><script>alert(1)</script> x=0x1', 0], ['<!-- <script> x=0x2', 1],
		['\\xe2\\x80\\xaeright to left\\xe2\\x80\\x8f x=0x3', 2], ['bytes \\xff\\xc0 \\ "quoted" &amp; x=0x4', 3],
		['text len=54 comm="B\\xffA\\x1b\\"a\\\\nhi<"', 4], ['value=0xffffffffffffffff', 5],
		['value=9223372036854775807', 6],
		['numbers a=0x1 b=0x2 c=0x3 d=0x0 e=0xffffffffffffffff f=0x20000000000001', 7]])
		check(`hostile: ${part}`, shown[i]?.includes(part), shown[i]);
	/* A value that was given is shown if it is 0; one that was not, if it is not 0. */
	for (const [whole, i] of [['refcount a=0x0', 8], ['three given a=0x0 b=0x0 c=0x0', 9], ['more a=0x0 b=0x1', 10],
		['not told', 11], ['marked x=0x1 b=0x2', 12], ['wide a=0x0 b=0x0', 13]])
		same(`hostile: ${whole}`, shown[i], whole);
	same('hostile: elements of strings', await page.evaluate(() => document.querySelectorAll('b, i').length), 0);
	check('hostile: the release', (await text(page, 'head')).includes('6.1</script><b>'), await text(page, 'head'));
	await close(page, 'hostile');
}

async function testTwo() {
	const page = await open('two'), one = said('driver'), other = said('other');
	same('two: rows', await page.evaluate(() => +document.body.dataset.ready), one.length + other.length);
	const head = await text(page, 'head');
	check('two: what is lost', head.includes('Damaged: header lost, used the backup header'), head);
	/* The last line of each log, 10 us before its panic: 200 us are between them. */
	await page.fill('#search', 'Fatal exception in interrupt');
	same('two: both panics', await text(page, 'count'), '2 matches');
	const times = [];
	for (let n = 0; n < 2; n++) {
		await page.press('#search', 'Enter');
		times.push((await cellsOf(page, await page.getAttribute('[aria-selected=true]', 'data-row')))[0]);
	}
	same('two: by the wall clock', times.join(' '), '15:59:59.999990000 16:00:00.000190000');
	await close(page, 'two');
}

async function testPrint() {
	const page = await open('driver', DESKTOP, 'dark'), want = said('driver');
	await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
	await page.emulateMedia({ media: 'print' });
	same('paper: a line for each row', await page.evaluate(() => document.querySelectorAll('#print tbody tr').length), want.length);
	check('paper: black on white', await page.evaluate(() => getComputedStyle(document.body).backgroundColor) === 'rgb(255, 255, 255)', 0);
	check('paper: no table that scrolls', !await page.isVisible('#table'), 0);
	await page.screenshot({ path: `${pictures}/print.png` });
	const pdf = await page.pdf({ path: `${pictures}/print.pdf` });
	check('paper: pages', pdf.length > 20000, pdf.length);
	await close(page, 'paper');
}

/* How long pages take from the request to their first picture, the best of four in turn. */
async function opens(...list) {
	const best = list.map(() => Infinity);
	for (let n = 0; n < 4 * list.length; n++) {
		const start = performance.now(), at = n % list.length;
		const page = await open(list[at]);
		await drawn(page);
		best[at] = Math.min(best[at], performance.now() - start);
		await page.context().close();
	}
	return best;
}

async function testTime() {
	const [empty, mid, large] = await opens('empty', 'mid', 'large');
	console.log(`# open: empty ${empty.toFixed(0)} ms, 15,000 events ${mid.toFixed(0)} ms, 100,000 ${large.toFixed(0)} ms`);
	check('100,000 events open within 3 times an empty page', large < 3 * empty, { empty, large });
	const { size } = statSync(`${dir}/large.html`);
	check('100,000 events have at most 5 MB', size <= 5e6, size);
}

/* For the README */
async function takePicture() {
	const page = await open('picture', { width: 1000, height: 600 }, 'light', 2);
	await page.fill('#search', 'level=');
	await page.press('#search', 'Shift+Enter');
	await drawn(page);
	await page.screenshot({ path: picture });
	await page.context().close();
}

async function testAllRows() {
	for (const name of ['ten', 'small', 'driver', 'mid', 'large'])
		await testRows(name);
}

async function testSearches() {
	await testSearch('driver', ['timeout', '/^submit \\(/', 'tid 5', 'kworker/2:', '/^tid 507 fio$/', 'WIDGET_irq', '/reset failed|DMA/',
		'/queue=0x[13]$/', 'no such word', 'queue=3', 'queue=0x3', '507', 'len=128']);
	await testSearch('large', ['status=0x1', '/^tid 10[0-3]$/', 'irq', 'status=4999', 'minus=-8192', 'a=5002']);
}

const tests = {
	testLooks, testWhy, testAllRows, testZoom, testPinch, testSearches, testKeys, testClicks, testLast, testHostile,
	...counterTests({ check, same, said, open, close, drawn, text }),
	...filterTests({ check, same, said, open, close, drawn, text, accessible, pictures, DESKTOP, PHONE }),
	...durationTests({ check, same, said, open, close, drawn, text, dir, pictures, DESKTOP }),
	...figureTests({ check, same, said, open, close, drawn, text, dir, accessible, pictures }),
	...foldTests({ check, same, said, open, close, drawn, text, pictures, DESKTOP }),
	...crashTests({ check, same, said, open, close, drawn, text, dir, pictures, DESKTOP }),
	...measureTests({ check, same, said, open, close, drawn, text, accessible, pictures, DESKTOP }),
	...runTests({ check, same, said, open, close, drawn, accessible, pictures, DESKTOP, PHONE }),
	...stackTests({ dir, check, same, said, open, close, drawn, text }),
	testTwo, testPrint, testTime,
};
const chosen = names.length ? names : Object.keys(tests);
for (const name of chosen) {
	const before = failed;
	try {
		await tests[name]();
	} catch (e) {
		check(`${name} ends`, false, e.stack);
	}
	console.log(`${failed === before ? 'ok' : 'not ok'} - ${name}`);
}
if (picture)
	await takePicture();
await browser.close();
console.log(`page: ${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed || !passed ? 1 : 0);
