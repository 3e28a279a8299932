// SPDX-License-Identifier: GPL-2.0
/* Quiet times on the axis.  page.mjs has the usage. */

export function foldTests({ check, same, said, open, close, drawn, text, pictures, DESKTOP }) {
	const folds = page => page.getAttribute('#marks', 'data-folds');
	/* The columns of pixels that have a mark in the lane of CPU 0 */
	const columns = page => page.evaluate(() => {
		const canvas = document.getElementById('marks');
		const data = canvas.getContext('2d').getImageData(0, 10, canvas.width, 1).data;
		return Array.from({ length: canvas.width }, (_, x) => x).filter(x => data[4 * x + 3] === 255 && data[4 * x] !== data[4 * x + 1]);
	});

	async function testFold() {
		const page = await open('quiet'), want = said('quiet');
		const gaps = want.slice(1).map((o, i) => o.time_ns - want[i].time_ns), most = Math.max(...gaps), at = gaps.indexOf(most);
		check('fold: a second in less than a millisecond', most >= 1e9 && want.at(-1).time_ns - want[0].time_ns - most < 1e6, most);
		await drawn(page);
		await page.screenshot({ path: `${pictures}/fold.png` });
		same('fold: one', await folds(page), '1');
		check('fold: said so', / of 1\.00\d* s shown; 1(\.00\d*)? s without rows are folded \(f\)$/.test(await text(page, 'what')), await text(page, 'what'));
		const folded = await columns(page);
		check('fold: both sides have room', folded.length > 150, folded.length);
		/* Marks on the left of the quiet time are of rows before it, and the other way round. */
		const box = await page.locator('#marks').boundingBox(), seen = [];
		for (const x of folded.filter((_, k) => k % 8 === 0)) {
			await page.mouse.click(box.x + x, box.y + 14);
			seen.push(await page.evaluate(() => +document.querySelector('#rows [aria-selected=true]')?.dataset.row));
		}
		check('fold: clicks find rows in order, on both sides', seen.every((row, k) => !k || row >= seen[k - 1]) &&
			seen.filter(row => row <= at).length > 8 && seen.filter(row => row > at).length > 8, seen);
		await page.focus('#table');
		await page.keyboard.press('Home');
		for (let n = 0; n < 6; n++)
			await page.keyboard.press('+');
		const zoomed = await drawn(page), first = want[0].time_ns;
		check('fold: zoom stays at the row', zoomed.from <= 0 && zoomed.to > 0 && zoomed.to < 30000, zoomed);
		await page.keyboard.press('0');
		await page.keyboard.press('f');
		await drawn(page);
		same('fold: none', await folds(page), '0');
		let hash = '';
		for (let n = 0; n < 50 && !hash.includes('fold=no'); n++)
			hash = await page.evaluate(() => new Promise(done => setTimeout(() => done(location.hash), 100)));
		const linked = await open('quiet', DESKTOP, 'light', 1, hash);
		await drawn(linked);
		same('fold: a link without', await folds(linked), '0');
		const flat = await columns(linked);
		check('fold: without, all is at the edges', flat.length > 0 && flat.length < 12, flat.length);
		await close(linked, 'fold: link');
		/* A time in the quiet second, by its address */
		const inside = await open('quiet', DESKTOP, 'light', 1, `#from=${want[at].time_ns - first + 3e8}&to=${want[at].time_ns - first + 6e8}`);
		const view = await drawn(inside);
		check('fold: a part of the quiet second', Math.abs(view.from - (want[at].time_ns - first + 3e8)) < 1000 &&
			Math.abs(view.to - (want[at].time_ns - first + 6e8)) < 1000, view);
		await close(inside, 'fold: inside');
		await page.keyboard.press('f');
		await drawn(page);
		same('fold: again', await folds(page), '1');
		await close(page, 'fold');
		for (const name of ['runs', 'usage', 'ten', 'empty', 'mid']) {
			const other = await open(name);
			same(`fold: nothing of ${name}`, await folds(other), '0');
			await close(other, name);
		}
	}

	return { testFold };
}
