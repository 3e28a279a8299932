// SPDX-License-Identifier: GPL-2.0
/* The rows that are hidden, and the address of a page, judged by jtrace --json.  page.mjs has the usage. */

const labelOf = o => o.type === 'log' ? 'kernel log' : o.tag.replace(/ \(.*/, '');

export function filterTests({ check, same, said, open, close, drawn, text, accessible, pictures, DESKTOP, PHONE }) {
	const rowsIn = page => page.getAttribute('#table', 'aria-rowcount').then(n => n - 1);
	const selected = page => page.evaluate(() => document.querySelector('#rows [aria-selected=true]')?.dataset.row ?? null);
	/* What the address tells when the page has stood still for a while */
	const hashOf = async page => {
		for (let last = null; ;) {
			const now = await page.evaluate(() => new Promise(done => setTimeout(() => done(location.hash), 300)));
			if (now === last)
				return now;
			last = now;
		}
	};

	/* Are the rows those that pass?  And does the table begin and end with them? */
	async function rowsAre(page, what, want, passes) {
		const rows = want.map((o, i) => passes(o) ? i : -1).filter(i => i >= 0);
		const got = [await rowsIn(page)];
		for (const key of ['Home', 'End']) {
			await page.focus('#table');
			await page.keyboard.press(key);
			got.push(rows.length ? +await selected(page) : null);
		}
		same(what, got.join(), [rows.length, rows[0], rows.at(-1)].join());
	}

	async function testList() {
		const page = await open('driver'), want = said('driver');
		const box = label => page.locator(`#list li:has(span:text-is("${label}")) input`);
		const only = label => page.locator(`#list li:has(span:text-is("${label}")) button`);
		await page.keyboard.press('e');
		check('list: e opens it, and goes there', await page.evaluate(() => document.activeElement.type === 'checkbox' &&
			document.activeElement.closest('#list').checkVisibility()), 0);
		const counts = key => [...new Set(want.map(key))].filter(name => name !== undefined)
			.map(name => `${name} ${want.filter(o => key(o) === name).length}`);
		const all = [...counts(labelOf), ...counts(o => o.tid === undefined ? undefined : `tid ${o.tid}`), ...counts(o => o.context)];
		const told = await page.$$eval('#list li', list => list.map(li =>
			`${li.querySelector('span').textContent} ${li.querySelector('small').textContent}`));
		/* A task has its name behind the tid. */
		same('list: events, tasks, contexts, with their counts', told.map(t => t.replace(/^(tid \d+) .* /, '$1 ')).sort().join(), all.sort().join());
		await rowsAre(page, 'list: nothing is hidden', want, () => true);
		await box('submit').uncheck();
		await rowsAre(page, 'list: an event is hidden', want, o => labelOf(o) !== 'submit');
		await box('hardirq').uncheck();
		await rowsAre(page, 'list: a context, too', want, o => labelOf(o) !== 'submit' && o.context !== 'hardirq');
		same('list: the page says so', (await text(page, 'filter')).replace(/.*: (.*)Show all/, '$1'), 'without submit, without hardirq');
		await page.screenshot({ path: `${pictures}/list.png` });
		await accessible(page, 'list');
		await only('complete').click();
		await rowsAre(page, 'list: alone', want, o => labelOf(o) === 'complete' && o.context !== 'hardirq');
		check('list: its box only', await box('complete').isChecked() && !await box('submit').isChecked() &&
			!await box('kernel log').isChecked(), 0);
		await only('complete').click();
		await rowsAre(page, 'list: and all again', want, o => o.context !== 'hardirq');
		await page.click('#filter button');
		await rowsAre(page, 'list: Show all', want, () => true);
		check('list: all boxes', (await page.$$eval('#list input', list => list.every(b => b.checked))), 0);
		/* By keys: the last row is of the log, the first one of an event. */
		await page.keyboard.press('Home');
		const first = labelOf(want[0]);
		await page.keyboard.press('h');
		await rowsAre(page, 'list: h hides', want, o => labelOf(o) !== first);
		check('list: so does its box', !await box(first).isChecked(), first);
		await page.keyboard.press('Escape');
		await page.keyboard.press('End');
		await page.keyboard.press('o');
		await rowsAre(page, 'list: o shows only such ones', want, o => o.type === 'log');
		await page.keyboard.press('o');
		await rowsAre(page, 'list: and all again', want, () => true);
		/* Only what is in an interrupt: the log is not. */
		await page.evaluate(() => { location.hash = '#only-contexts=hardirq'; });
		await drawn(page);
		await rowsAre(page, 'list: only a context', want, o => o.context === 'hardirq');
		await page.keyboard.press('Escape');
		await hashOf(page);
		for (const label of await page.$$eval('#list ul:first-of-type label', list => list.map(l => l.textContent)))
			await box(label).uncheck();
		same('list: nothing is left', await rowsIn(page), 0);
		const none = await open('driver', DESKTOP, 'light', 1, await hashOf(page));
		same('list: so it is in a link', await rowsIn(none), 0);
		await close(none, 'list: nothing');
		same('list: the page is empty', await page.$$eval('#rows > div', list => list.length), 0);
		await page.click('#choose');
		check('list: its button closes it', !await page.isVisible('#list'), 0);
		await close(page, 'list');
		const phone = await open('driver', PHONE);
		await phone.click('#choose');
		await accessible(phone, 'list on a phone');
		await phone.screenshot({ path: `${pictures}/list-phone.png`, fullPage: true });
		await close(phone, 'list on a phone');
	}

	/* What two pages show, to compare them */
	async function looks(page) {
		const { from, to } = await drawn(page);
		return JSON.stringify({ from: Math.round(from), to: Math.round(to), rows: await rowsIn(page), at: await selected(page),
			find: await page.inputValue('#search'), count: await text(page, 'count'), filter: await text(page, 'filter') });
	}

	async function testAddress() {
		for (const [name, act] of [
			['driver', async page => {
				await page.fill('#search', 'timeout');
				await page.press('#search', 'Enter');
				await page.keyboard.press('Tab');
				await page.focus('#table');
				for (const key of ['+', '+', 'ArrowLeft'])
					await page.keyboard.press(key);
				await page.click('#labels button:has-text("CPU 2")');
				await page.keyboard.press('e');
				await page.uncheck('#list li:has(span:text-is("irq")) input');
			}],
			['two', async page => {
				await page.keyboard.press('Home');
				await page.keyboard.press('o');
				await page.click('#tasks button:first-of-type');
			}],
			['stacks', async page => {
				await page.fill('#called', 'ioctl & <b>');
				await page.fill('#called', 'ioctl');
			}],
		]) {
			const page = await open(name);
			same(`address: ${name}: of all, there is none`, await hashOf(page), '');
			await act(page);
			const hash = await hashOf(page), want = await looks(page);
			check(`address: ${name}: there is one`, hash.length > 5, hash);
			const other = await open(name, DESKTOP, 'light', 1, hash);
			same(`address: ${name}: another page shows the same`, await looks(other), want);
			same(`address: ${name}: and has the same address`, await hashOf(other), hash);
			await other.keyboard.press('Escape');
			await hashOf(other);
			await other.evaluate(h => { location.hash = h; }, hash);
			await drawn(other);
			same(`address: ${name}: a page that is open follows`, await looks(other), want);
			await close(other, 'address');
			await close(page, 'address');
		}
		const want = said('driver');
		/* A link without them shows the whole time, and selects nothing. */
		const follower = await open('driver', DESKTOP, 'light', 1, '#from=1000&to=2000&at=5');
		await drawn(follower);
		await follower.evaluate(() => { location.hash = '#find=timeout'; });
		const seen = JSON.parse(await looks(follower));
		check('address: what it does not tell is as at first', seen.at === null && seen.to > 700000, seen);
		/* A regex waits: this one would take for ever. */
		await follower.evaluate(() => { location.hash = '#find=/(.*.*)*!!/&called=/(a%2B)%2B$/'; });
		await drawn(follower);
		same('address: a regex waits', await text(follower, 'count'), 'Enter searches');
		await follower.evaluate(() => { location.hash = '#find=/timeout/'; });
		await drawn(follower);
		await follower.press('#search', 'Enter');
		check('address: until Enter', (await text(follower, 'count')).endsWith(' matches'), await text(follower, 'count'));
		await close(follower, 'address: follow');
		for (const hash of ['#hide=999,<b>,-1&only=zzz&from=abc&to=1e9&at=99999999', '#find=<img src=x onerror=alert(1)>', '#%ff%zz&&=&from=9&to=3',
			'#from=-999999999999999999&to=999999999999999999&cpus=__proto__&tasks=constructor&hide-contexts=toString&lanes=constructor']) {
			const page = await open('driver', DESKTOP, 'light', 1, hash);
			same(`address: ${hash}: shows all`, await rowsIn(page), want.length);
			same(`address: ${hash}: the whole time`, (await text(page, 'what')).split(' of ')[0].replace(/ shown$/, ''),
				(await text(page, 'what')).split(' of ')[1].replace(/ shown$/, ''));
			await close(page, `address: ${hash}`);
		}
	}

	return { testList, testAddress };
}
