// SPDX-License-Identifier: GPL-2.0
/* Durations on a page, judged by the pairs that tests/tool/slices tells.  page.mjs has the usage. */

import { readFileSync } from 'node:fs';

export function durationTests({ check, same, said, open, close, drawn, text, dir, pictures, DESKTOP }) {
	const selected = page => page.evaluate(() => +document.querySelector('#rows [aria-selected=true]')?.dataset.row);
	const factsOf = page => page.$$eval('#details dt', list => Object.fromEntries(list.map(e =>
		[e.textContent, e.nextElementSibling.textContent])));
	/* "CPU 1: 5000000123-5000000456" as rows, and which of them is of which lane */
	function truth(want) {
		const rowAt = new Map(want.map((o, i) => [o.time_ns, i]));
		return readFileSync(`${dir}/truth`, 'utf8').trim().split('\n').map(line => {
			const [, of, begin, end] = /^(CPU|tid) \d+: (\d+)-(\d+)$/.exec(line);
			return { of, begin: rowAt.get(+begin), end: rowAt.get(+end), ns: end - begin };
		});
	}

	async function testPairs() {
		const page = await open('slices'), want = said('slices'), pairs = truth(want), faults = [];
		await page.screenshot({ path: `${pictures}/bars.png` });
		let opened = 0;
		const paired = new Set(pairs.flatMap(p => [p.begin, p.end]));
		check('pairs: enough to judge', pairs.length > 80, pairs.length);
		await page.focus('#table');
		await page.keyboard.press('Home');
		for (let row = 0; row < want.length; row++) {
			const pair = pairs.find(p => p.begin === row), end = pairs.find(p => p.end === row);
			const facts = await factsOf(page), micros = (pair ?? end)?.ns / 1000;
			const took = facts.Took ?? facts['It took'] ?? null;
			/* Nothing is missing, so a begin without an end had not ended; of a probe, returns may be missed. */
			const isOpen = !pair && /^(sys_enter|irq_handler_entry|softirq_entry) /.test(want[row].tag);
			const toEnd = (want.at(-1).time_ns - want[row].time_ns) / 1000;
			opened += isOpen;
			if (facts['Not ended'] !== (isOpen ? `for ${toEnd ? `${toEnd} µs` : '0 ns'}: its last event` : undefined))
				faults.push({ row, isOpen, toEnd, open: facts['Not ended'] });
			if (took !== (pair ?? end ? `${micros} µs` : null) || (facts.Took !== undefined) !== (pair !== undefined))
				faults.push({ row, took, micros, open: facts['Not ended'] });
			if (pair && row % 3 === 0) {
				await page.keyboard.press('j');
				const there = await selected(page);
				await page.keyboard.press('j');
				if (there !== pair.end || await selected(page) !== row)
					faults.push({ row, there, back: await selected(page) });
			}
			await page.keyboard.press('ArrowDown');
		}
		check(`pairs: all ${pairs.length}, and ${opened} that had not ended, no others of ${want.length} rows`,
			!faults.length && paired.size === 2 * pairs.length && opened > 3, faults.slice(0, 4));
		await close(page, 'pairs');
	}

	/* The opacity of a pixel of the canvas, in the lane of a CPU */
	const opacity = (page, cpu, x) => page.evaluate(([label, at]) => {
		const canvas = document.getElementById('marks');
		const button = [...document.querySelectorAll('#labels button')].find(b => b.textContent.startsWith(label));
		const top = button.offsetTop - button.parentElement.offsetTop;
		return canvas.getContext('2d').getImageData(Math.round(at), top + 22, 1, 1).data[3];
	}, [`CPU ${cpu}`, x]);

	async function testBars() {
		const want = said('slices'), pairs = truth(want).filter(p => p.of === 'CPU');
		const start = want[0].time_ns, faults = [];
		let judged = 0;
		for (const pair of pairs.slice(0, 12)) {
			const { cpu } = want[pair.begin], begin = want[pair.begin].time_ns - start;
			/* The bar is the middle third; what is selected is elsewhere. */
			const page = await open('slices', DESKTOP, 'light', 1, `#from=${begin - pair.ns}&to=${begin + 2 * pair.ns}`);
			const view = await drawn(page), at = ns => (ns - view.from) / (view.to - view.from) * view.width;
			const inside = await opacity(page, cpu, at(begin + pair.ns * .98));
			const before = await opacity(page, cpu, at(begin - pair.ns * .02));
			judged++;
			/* One that encloses it, or had not ended, is behind both. */
			const after = await opacity(page, cpu, at(begin + pair.ns * 1.05));
			const next = pairs.some(p => want[p.begin].cpu === cpu && want[p.begin].time_ns - start >= begin + pair.ns &&
				want[p.begin].time_ns - start <= begin + pair.ns * 1.1);
			if (inside < before + 20 || (!next && inside < after + 20))
				faults.push({ pair, inside, before, after });
			await page.context().close();
		}
		const begins = await open('begins');
		const begun = said('begins');
		await begins.keyboard.press('Home');
		for (const o of begun) {
			same(`bars: ${o.tag} ${o.a} ${o.function} is not open`, (await factsOf(begins))['Not ended'], undefined);
			await begins.keyboard.press('ArrowDown');
		}
		check('bars: of twelve', begun.length === 12, begun.length);
		await close(begins, 'bars');
		const headless = await open('headless');
		check('bars: the page says why there are none', (await text(headless, 'head')).includes('no durations, because the image is damaged'),
			await text(headless, 'head'));
		await close(headless, 'bars: headless');
		check(`bars: ${judged} begin where they begin`, judged >= 8 && !faults.length, faults);
	}

	return { testPairs, testBars };
}
