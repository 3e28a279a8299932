// SPDX-License-Identifier: GPL-2.0
/* What tasks did, and their lanes, judged by the events that jtrace --json tells.  page.mjs has the usage. */

export function runTests({ check, same, said, open, close, drawn, accessible, pictures, DESKTOP, PHONE }) {
	const factsOf = page => page.$$eval('#details dt', list => list.map(e =>
		`${e.textContent}: ${e.nextElementSibling.textContent}`).filter(s => /^(Until now|From now on): /.test(s)));
	const labels = page => page.$$eval('#labels > *', list => list.map(e => e.firstChild.textContent));
	const WORDS = { '': 'ran', R: 'waited for a CPU (R)', 'R+': 'was preempted (R+)', S: 'slept (S)', D: 'slept, uninterruptible (D)' };

	/* The address tells so, soon. */
	async function told(page, part) {
		let hash = '';
		for (let n = 0; n < 50 && !hash.includes(part); n++)
			hash = await page.evaluate(() => new Promise(done => setTimeout(() => done(location.hash), 100)));
		check(`lanes: the address has ${part}`, hash.includes(part), hash);
	}

	/* [begin, end, state, tid, cpu] by rows; end is null for what had not ended. */
	function truth(want) {
		const on = new Map(), off = new Map(), list = [];
		want.forEach((o, i) => {
			const { prev_pid: prev, next_pid: next, pid } = o.args ?? {};
			if (o.tag.startsWith('jtrace: '))
				on.clear(), off.clear();
			if (o.function === 'sched_wakeup_new')
				off.set(pid, [i, 'R']);
			if (/^sched_wak(ing|eup)$/.test(o.function) && off.has(pid) && !off.get(pid)[1].startsWith('R')) {
				list.push([off.get(pid)[0], i, off.get(pid)[1], pid]);
				off.set(pid, [i, 'R']);
			}
			if (o.function !== 'sched_switch')
				return;
			if (on.get(o.cpu)?.[1] === prev)
				list.push([on.get(o.cpu)[0], i, '', prev, o.cpu]);
			on.set(o.cpu, [i, next]);
			if (off.get(next)?.[1].startsWith('R'))
				list.push([off.get(next)[0], i, off.get(next)[1], next]);
			off.delete(next);
			off.set(prev, [i, o.symbols.prev_state]);
		});
		for (const [cpu, [i, tid]] of on)
			list.push([i, null, '', tid, cpu]);
		for (const [tid, [i, state]] of off)
			if (state.startsWith('R') || want.some(o => /^sched_wak(ing|eup)$/.test(o.function)))
				list.push([i, null, state, tid]);
		return list.filter(run => run[3] !== 0);
	}

	const ends = (want, run) => want[run[1] ?? want.length - 1].time_ns;

	function factsFor(want, runs, row) {
		const text = run => {
			const us = (ends(want, run) - want[run[0]].time_ns) / 1000;
			const length = us >= 1e6 ? `${us / 1e6} s` : us >= 1000 ? `${us / 1000} ms` : us ? `${us} µs` : '0 ns';
			const name = want.findLast(o => o.tid === run[3])?.task;
			return `tid ${run[3]}${name ? ` ${name}` : ''} ${WORDS[run[2]]} ${length}${run[1] === null ? ', and had not ended' : ''}`;
		};
		return [...runs.filter(r => r[1] === row).map(r => `Until now: ${text(r)}`),
			...runs.filter(r => r[0] === row).map(r => `From now on: ${text(r)}`)].sort();
	}

	/* The details of each row tell what it ends and begins, and nothing else. */
	async function judgeFacts(name, least) {
		const page = await open(name), want = said(name), runs = truth(want), faults = [];
		const states = new Set(runs.map(r => r[2]));
		await page.focus('#table');
		await page.keyboard.press('Home');
		for (let row = 0; row < want.length; row++) {
			if (/^sched_|^task_new/.test(want[row].function)) {
				const got = (await factsOf(page)).sort(), wanted = factsFor(want, runs, row);
				if (got.join() !== wanted.join())
					faults.push({ row, got, wanted });
			}
			await page.keyboard.press('ArrowDown');
		}
		check(`${name}: what tasks did, ${runs.length} times in ${states.size} states`,
			!faults.length && states.size >= least && runs.length > 20, faults.slice(0, 3));
		await close(page, name);
	}

	/* Is the strip of a lane coloured at a time? */
	const strip = (page, label, x) => page.evaluate(([name, at]) => {
		const button = [...document.querySelectorAll('#labels > *')].find(b => b.textContent.startsWith(name));
		const y = button.offsetTop - button.parentElement.offsetTop + button.offsetHeight - 8;
		return [...document.getElementById('marks').getContext('2d').getImageData(Math.round(at), y, 1, 1).data];
	}, [label, x]);

	async function judgeStrips() {
		const want = said('runs'), runs = truth(want), faults = [];
		const start = want[0].time_ns, states = new Map();
		for (const run of runs) {
			const list = states.get(run[2]) ?? [];
			states.set(run[2], list.concat([run]));
		}
		for (const [state, list] of states) {
			const run = list.findLast(r => ends(want, r) > want[r[0]].time_ns), begin = want[run[0]].time_ns - start, ns = ends(want, run) - start - begin;
			const page = await open('runs', DESKTOP, 'light', 1, `#lanes=all&from=${begin - ns}&to=${begin + 2 * ns}`);
			const view = await drawn(page), at = part => (begin + ns * part - view.from) / (view.to - view.from) * view.width;
			const [inside, before] = [await strip(page, `tid ${run[3]}`, at(.7)), await strip(page, `tid ${run[3]}`, at(-.004))];
			const cpu = state ? null : await strip(page, `CPU ${run[4]}`, at(.7));
			const earlier = want[0].time_ns + begin - .004 * ns;
			const same = list.some(r => r[3] === run[3] && want[r[0]].time_ns <= earlier && ends(want, r) >= earlier);
			if (inside[3] < 80 || (!same && inside.join() === before.join()) || (cpu && cpu[3] < 100))
				faults.push({ state, run, inside, before, cpu });
			await page.context().close();
		}
		check(`runs: strips of ${states.size} states`, !faults.length && states.size === 5, faults);
	}

	async function testRuns() {
		await judgeFacts('runs', 5);
		await judgeFacts('unwoken', 2);
		await judgeStrips();
		const mid = await open('mid');
		const heights = await mid.$$eval('#labels button', list => list.map(b => b.offsetHeight).filter(h => h > 30));
		same('mid: no strips without sched_switch', heights.join(), '');
		await close(mid, 'mid');
		const astray = await open('astray'), told = [];
		await astray.keyboard.press('Home');
		for (let row = 0; row < 4; row++) {
			told.push((await factsOf(astray)).join());
			await astray.keyboard.press('ArrowDown');
		}
		same('astray: a task does not run on two CPUs', told.join(' | '),
			' | From now on: tid 5 ran 1 µs | Until now: tid 5 ran 1 µs | ');
		await close(astray, 'astray');
	}

	async function testTaskLanes() {
		const page = await open('runs');
		const few = await labels(page);
		same('lanes: what was open comes first', few.slice(0, 4).join(), 'CPU 0,CPU 1,tid 10,tid 11');
		check('lanes: requests', few.includes('disk requests'), few);
		await page.keyboard.press('t');
		same('lanes: all', (await labels(page)).filter(l => /^tid/.test(l)).length, 3);
		await page.screenshot({ path: `${pictures}/tasks.png` });
		await told(page, 'lanes=all');
		await page.keyboard.press('t');
		same('lanes: none', (await labels(page)).join(), 'CPU 0,CPU 1,Tasks');
		await told(page, 'lanes=none');
		await close(page, 'lanes');
		/* By a lane, only this task, as by its button. */
		const linked = await open('runs', DESKTOP, 'light', 1, '#lanes=all');
		await linked.click('#labels button:has-text("tid 77")');
		const shown = await linked.$$eval('#rows > div', list => list.map(el => el.children[3].textContent));
		check('lanes: only this task', shown.length > 0 && shown.every(s => s.startsWith('tid 77')), shown.slice(0, 5));
		same('lanes: its button, too', await linked.getAttribute('#tasks button:has-text("tid 77")', 'aria-pressed'), 'true');
		await accessible(linked, 'lanes');
		await close(linked, 'lanes of all');
		/* The text beside a tick is in the middle of its lane. */
		const ten = await open('ten');
		const inks = await ten.evaluate(() => {
			const canvas = document.getElementById('marks'), to = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
			return [...document.querySelectorAll('#labels button')].map(b => b.offsetTop - b.parentElement.offsetTop).map(top => {
				const dark = y => Array.from({ length: canvas.width }, (_, x) => 4 * ((top + y) * canvas.width + x))
					.filter(at => to.data[at + 3] > 150 && Math.max(...to.data.slice(at, at + 3)) < 60).length;
				return [dark(14) + dark(16) + dark(18), dark(26) + dark(28)];
			});
		});
		check('lanes: texts are in the middle', inks.some(i => i[0] > 20) && inks.every(i => i[1] === 0), inks);
		await close(ten, 'texts');
		const phone = await open('runs', PHONE);
		same('lanes: no wider than a phone', await phone.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
		await close(phone, 'lanes on a phone');
	}

	return { testRuns, testTaskLanes };
}
