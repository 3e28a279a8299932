// SPDX-License-Identifier: GPL-2.0
/* Measuring time on a page, judged by jtrace --json.  page.mjs has the usage. */

const UNITS = { s: 1e9, ms: 1e6, 'µs': 1e3, ns: 1 };

export function measureTests({ check, same, said, open, close, drawn, text, accessible, pictures, DESKTOP }) {
	/* "A → B: 12.5 µs, 3 rows between": [ns, rows] */
	async function told(page) {
		const [, sign, number, unit, rows] = /A → B (−?)([0-9.]+) (\S+), (\d+) rows? between/.exec(await text(page, 'measure')) ?? [];
		return [(sign ? -1 : 1) * number * UNITS[unit], +rows];
	}

	async function testMarks() {
		const page = await open('driver'), want = said('driver');
		const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
		await press('m');
		same('marks: without a selected event, none', await text(page, 'measure'), '');
		await press('Home', 'm');
		check('marks: one', (await text(page, 'measure')).startsWith(`A marked at ${want[0].time}; `), await text(page, 'measure'));
		await press(...Array(7).fill('ArrowDown'), 'm');
		const ns = want[7].time_ns - want[0].time_ns;
		same('marks: the time between two events, and the rows', (await told(page)).join(), `${ns},6`);
		await page.screenshot({ path: `${pictures}/marks.png` });
		await accessible(page, 'marks');
		await page.click('#measure button:text-is("A")');
		same('marks: its button selects the event', await page.getAttribute('[aria-selected=true]', 'data-row'), '0');
		const kind = want[0].tag;
		await press('h');
		same('marks: rows that are hidden do not count', (await told(page)).join(),
			`${ns},${want.slice(1, 7).filter(o => o.tag !== kind).length}`);
		await press('Escape');
		await page.waitForFunction(() => location.hash.includes('marks=0%2C7'));
		const hash = await page.evaluate(() => location.hash);
		const other = await open('driver', DESKTOP, 'light', 1, hash);
		same('marks: a link has them', (await told(other)).join(), `${ns},6`);
		await close(other, 'marks: link');
		/* The other way round, and a line of the log */
		await press('End', 'm', 'Home', 'm');
		same('marks: backwards', (await told(page)).join(), `${-(5000720000 - want[0].time_ns)},${want.length - 2}`);
		await press('M');
		same('marks: none again', await text(page, 'measure'), '');
		await close(page, 'marks');
	}

	async function testSpans() {
		const page = await open('usage'), want = said('usage');
		const first = want[0].time_ns, last = want.at(-1).time_ns - first;
		const near = (got, from, to) => Math.abs(got.from - from) < 2 && Math.abs(got.to - to) < 2;
		for (const [key, ns] of [['1', 1e7], ['2', 1e8], ['3', 1e9], ['4', 1e10]]) {
			await page.keyboard.press(key);
			const got = await drawn(page);
			check(`spans: key ${key}`, near(got, last - ns, last + ns * .015), got);
		}
		await page.keyboard.press('0');
		await page.click('#lasts button:text-is("1 s")');
		check('spans: the button', near(await drawn(page), last - 1e9, last + .015e9), await drawn(page));
		await page.keyboard.press('Escape');
		await page.focus('#table');
		await page.keyboard.press('Home');
		for (let n = 0; n < 20; n++)
			await page.keyboard.press('ArrowDown');
		await page.keyboard.press('.');
		const since = want[20].time_ns - first;
		check('spans: since the selected event', near(await drawn(page), since, last + (last - since) * .015), await drawn(page));
		await page.keyboard.press('0');
		const was = await drawn(page), box = await page.locator('#marks').boundingBox();
		await page.keyboard.down('Shift');
		await page.mouse.move(box.x + 700, box.y + 20);
		await page.mouse.down();
		await page.mouse.move(box.x + 500, box.y + 30, { steps: 4 });
		await page.mouse.move(box.x + 300, box.y + 20, { steps: 4 });
		await page.screenshot({ path: `${pictures}/span.png` });
		await page.mouse.up();
		await page.keyboard.up('Shift');
		const got = await drawn(page), at = x => was.from + (was.to - was.from) * x / box.width;
		check('spans: dragging with Shift zooms into it', Math.abs(got.from - at(300)) < (at(1) - at(0)) &&
			Math.abs(got.to - at(700)) < (at(1) - at(0)), { got, want: [at(300), at(700)] });
		/* Away and back: it was not meant. */
		await page.keyboard.down('Shift');
		await page.mouse.move(box.x + 300, box.y + 20);
		await page.mouse.down();
		await page.mouse.move(box.x + 600, box.y + 20, { steps: 3 });
		await page.mouse.move(box.x + 301, box.y + 20, { steps: 3 });
		await page.mouse.up();
		await page.keyboard.up('Shift');
		const after = await drawn(page);
		check('spans: back to where it began does nothing', after.from === got.from && after.to === got.to, after);
		await close(page, 'spans');
	}

	return { testMarks, testSpans };
}
