// SPDX-License-Identifier: GPL-2.0
/* Figures on a page, judged by jtrace --json and tests/tool/slices.  page.mjs has the usage. */

import { readFileSync } from 'node:fs';

const UNITS = { s: 1e9, ms: 1e6, 'µs': 1e3, ns: 1 };

export function figureTests({ check, same, said, open, close, drawn, text, dir, accessible, pictures }) {
	const selected = page => page.evaluate(() => +document.querySelector('#rows [aria-selected=true]')?.dataset.row);
	/* "shortest 1 µs, median 3 µs, 99 % up to 8 µs, longest 9 µs", in ns */
	const figuresIn = told => [...told.matchAll(/(shortest|median|up to|longest) ([0-9.]+) (\S+?)(?=,|$)/g)]
		.map(([, , number, unit]) => number * UNITS[unit]);
	/* What they should be, to the four digits that the page has */
	function wanted(list) {
		const sorted = list.sort((a, b) => a - b), at = part => sorted[Math.ceil(sorted.length * part) - 1];
		return [sorted[0], at(.5), at(.99), sorted.at(-1)].map(ns => +ns.toPrecision(4));
	}

	async function testFigures() {
		const page = await open('slices'), want = said('slices');
		const rowAt = new Map(want.map((o, i) => [o.time_ns, i]));
		const pairs = readFileSync(`${dir}/truth`, 'utf8').trim().split('\n').map(line => line.match(/\d{6,}/g).map(Number))
			.map(([begin, end]) => ({ row: rowAt.get(begin), end: rowAt.get(end), ns: end - begin }));
		const kind = o => `${o.tag} ${o.args?.irq ?? o.args?.vec ?? o.args?.id ?? o.args?.a}`;
		let judged = 0;
		for (const { row, end } of pairs.filter((p, n) => n % 9 === 0)) {
			/* Of a probe, each function is a site of its own. */
			const like = pairs.filter(p => kind(want[p.row]) === kind(want[row]) && want[p.row].site === want[row].site);
			const group = ['irq', 'vec', 'id'].map(name => [name, want[row].args?.[name]]).find(([, v]) => v !== undefined);
			for (const at of [row, end]) {
				await page.evaluate(n => { location.hash = `at=${n}`; }, at);
				await page.waitForFunction(n => document.querySelector('#rows [aria-selected=true]')?.dataset.row === `${n}`, at);
				const told = await page.$eval('.figures p:last-child', e => e.textContent);
				check('figures: which ones', told.startsWith(`${like.length} ${group ? `with ${group[0]}=${group[1]}` : 'took'}`), told);
				same(`figures: ${kind(want[row])} at ${at}`, `${figuresIn(told)}`, `${wanted(like.map(p => p.ns))}`);
			}
			await page.click('#details .figures button:last-of-type');
			const longest = Math.max(...like.map(p => p.ns));
			const there = await selected(page);
			check('figures: its button goes to one of the longest', like.some(p => p.row === there && p.ns === longest), there);
			judged++;
		}
		check(`figures: ${judged} judged`, judged > 8, judged);
		await page.screenshot({ path: `${pictures}/figures.png` });
		await accessible(page, 'figures');
		await close(page, 'figures');
	}

	async function testIntervals() {
		const page = await open('driver'), want = said('driver');
		const name = o => o.tag?.replace(/ .*/, '');
		const a = want.findIndex(o => name(o) === 'irq'), b = want.findIndex((o, i) => i > a && name(o) === 'complete');
		await page.evaluate(h => { location.hash = h; }, `marks=${a},${b}`);
		await page.waitForSelector('#measure .figures');
		const spans = want.map((o, i) => [o, want.slice(i + 1).find(other => name(other) === 'complete')])
			.filter(([o, next]) => name(o) === 'irq' && next).map(([o, next]) => next.time_ns - o.time_ns);
		const told = await page.$eval('#measure .figures', e => e.textContent);
		check('intervals: between two kinds', told.startsWith(`${spans.length} times from irq to the next complete: `), told);
		same('intervals: their distribution', `${figuresIn(told)}`, `${wanted(spans)}`);
		await page.click('#measure .figures button:last-of-type');
		const longest = Math.max(...spans);
		check('intervals: the longest one is marked', (await text(page, 'measure')).startsWith(`A → B ${longest / 1000} µs`),
			await text(page, 'measure'));
		await page.screenshot({ path: `${pictures}/intervals.png` });
		/* How many are in the time shown: of the selected kind */
		await page.keyboard.press('Escape');
		await page.focus('#table');
		await page.keyboard.press('End');
		await page.keyboard.press('ArrowUp');
		for (let n = 0; n < 8; n++)
			await page.keyboard.press('ArrowUp');
		const row = await selected(page);
		await page.keyboard.press('+');
		const view = await drawn(page), first = want[0].time_ns;
		const like = want.filter(o => o.tag === want[row].tag && o.site === want[row].site);
		const seen = like.filter(o => o.time_ns - first >= view.from && o.time_ns - first < view.to).length;
		const last = want.at(-1).time_ns - first;
		const rate = +(seen / (Math.min(view.to, last) - Math.max(view.from, 0)) * 1e9).toPrecision(3);
		same('intervals: events in the time shown', await text(page, 'rate'),
			`${like.length}; in the time shown ${seen}, ${rate.toLocaleString('en')} a second`);
		await close(page, 'intervals');
		/* Events are switched between the first two interrupts and the system call. */
		const begins = await open('begins');
		await begins.evaluate(() => { location.hash = 'marks=0,6'; });
		await begins.waitForSelector('#measure .figures');
		const whole = await begins.$eval('#measure .figures', e => e.textContent);
		check('intervals: none over a switch of events', whole.startsWith('2 times from irq_handler_entry to the next sys_enter: '), whole);
		await close(begins, 'intervals: switch');
	}

	return { testFigures, testIntervals };
}
