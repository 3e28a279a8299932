// SPDX-License-Identifier: GPL-2.0
/*
 * What one does with a page of a real crash, by keys alone: find what had not ended, measure from an
 * interrupt to a wake-up, hide events, and send the view.  page.mjs has the usage.
 */

import { execFileSync } from 'node:child_process';

export function crashTests({ check, same, said, open, close, drawn, text, dir, pictures, DESKTOP }) {
	const selected = page => page.evaluate(() => +document.querySelector('#rows [aria-selected=true]')?.dataset.row);
	const factsOf = page => page.$$eval('#details dt', list => Object.fromEntries(list.map(e =>
		[e.textContent, e.nextElementSibling.textContent])));
	const length = ns => ns >= 1e6 ? `${ns / 1e6} ms` : `${ns / 1000} µs`;
	const press = async (page, key, times = 1) => {
		for (let n = 0; n < times; n++)
			await page.keyboard.press(key);
	};
	/* Press Tab until the focus is there. */
	async function tabTo(page, selector) {
		for (let n = 0; n < 60; n++) {
			await page.keyboard.press('Tab');
			if (await page.evaluate(s => document.activeElement.matches(s), selector))
				return true;
		}
		return false;
	}

	async function testCrash() {
		const page = await open('crash'), want = said('crash');
		const why = execFileSync(`${dir}/jtrace`, ['why', '--json', `${dir}/crash`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
			.trim().split('\n').map(l => JSON.parse(l));
		const judged = why.find(o => o.type === 'why'), shown = why.find(o => o.type === 'finding').evidence[0];

		/* 1. What had not ended */
		check('crash: its verdict has a button', await tabTo(page, '.why button'));
		await press(page, 'Enter');
		const row = await selected(page), begin = want[row];
		check('crash: it selects the timer', begin?.function === 'timer_expire_entry' && begin.time_ns === shown.time_ns && begin.cpu === shown.cpu,
			{ begin, shown });
		same('crash: the timer had not ended', (await factsOf(page))['Not ended'], `for ${length(judged.as_of_ns - begin.time_ns)}: ${judged.as_of}`);
		await press(page, '.');
		const since = await drawn(page);
		check('crash: since then, up to the panic', since.from < begin.time_ns - want[0].time_ns + 1e5 &&
			since.to >= judged.as_of_ns - want[0].time_ns, since);
		await page.screenshot({ path: `${pictures}/crash.png` });

		/* 2. From an interrupt to the wake-up */
		const wake = want.findLastIndex((o, i) => i < row && o.function === 'sched_waking' && /irq/.test(o.context));
		const timer = want.findLastIndex((o, i) => i < wake && o.cpu === want[wake].cpu && /expire_entry$/.test(o.function));
		check('crash: an interrupt that wakes somebody', timer >= 0 && row - timer < 1000, { row, wake, timer });
		await press(page, 'ArrowUp', row - wake);
		await press(page, 'm');
		await press(page, 'ArrowUp', wake - timer);
		await press(page, 'm');
		const ns = want[wake].time_ns - want[timer].time_ns, told = await text(page, 'measure');
		check('crash: the time between them', new RegExp(`A → B:? −${length(ns)}, ${wake - timer - 1} rows? between`).test(told), { told, ns });

		/* 3. Without events of the scheduler */
		const kinds = new Set(want.filter(o => /^sched_/.test(o.function ?? '')).map(o => o.function));
		await press(page, 'e');
		for (let n = 0; n < 40; n++) {
			const label = await page.evaluate(() => document.activeElement.closest('li')?.querySelector('label').textContent);
			const isBox = await page.evaluate(() => document.activeElement.matches('#list input:checked'));
			if (isBox && kinds.delete(label))
				await press(page, 'Space');
			await press(page, 'Tab');
		}
		same('crash: all of the scheduler were in the list', [...kinds].join(), '');
		await press(page, 'e');
		const left = want.filter(o => !/^sched_/.test(o.function ?? ''));
		same('crash: the rest is shown', await page.getAttribute('#table', 'aria-rowcount'), `${left.length + 1}`);

		/* 4. The view by its address */
		await page.focus('#table');
		await press(page, 'End');
		await press(page, 'ArrowUp', 3);
		let hash = '', last = null;
		for (let n = 0; n < 20 && (hash !== last || !hash); n++) {
			last = hash;
			hash = await page.evaluate(() => new Promise(done => setTimeout(() => done(location.hash), 400)));
		}
		const other = await open('crash', DESKTOP, 'light', 1, hash);
		for (const part of ['measure', 'filter', 'details'])
			same(`crash: a link shows the same ${part}`, await text(other, part), await text(page, part));
		same('crash: and the same row', await selected(other), await selected(page));
		await close(other, 'crash: link');
		/* A line that the kernel wrote after the begin of its panic is shown, too. */
		await press(page, 'Escape');
		await press(page, 'End');
		await press(page, 'ArrowUp', 3);
		await press(page, '.');
		const late = await drawn(page), at = want.at(-4).time_ns - want[0].time_ns;
		check('crash: since a moment of the panic', late.from <= at && late.to >= at, { late, at });
		await close(page, 'crash');
	}

	return { testCrash };
}
