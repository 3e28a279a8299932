// SPDX-License-Identifier: GPL-2.0
/* The counters on a page, judged by the values of jtrace --json.  page.mjs has the usage. */

const COUNTERS = [
	['free memory', 'free_kb', 1024], ['available memory', 'available_kb', 1024],
	['dirty memory', 'dirty_kb', 1024], ['runnable tasks', 'runnable', 0],
	['interrupts', 'interrupts', 0],
];
const UNITS = { bytes: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const SECOND = 1e9;

/* Does a text say this value, to three digits? */
function says(text, value, bytes) {
	const [number, unit] = text.replaceAll(',', '').split(' ');
	if (value < 0)
		return text === 'not known';
	const right = bytes ? value * bytes : value;
	return unit === undefined === !bytes &&
		Math.abs(number * (bytes ? UNITS[unit] : 1) - right) <= right * 6e-3;
}

/* The pixels of the canvas in the colour of lines: the heights of those of each column */
const colouredPixels = page => page.evaluate(() => {
	const canvas = document.getElementById('marks'), { width, height } = canvas;
	const probe = document.createElement('span');
	probe.style.color = 'var(--accent)';
	document.body.append(probe);
	const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
	probe.remove();
	const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
	const columns = Array.from({ length: width }, () => []);
	for (let i = 0; i < width * height; i++)
		if (Math.abs(data[4 * i] - r) + Math.abs(data[4 * i + 1] - g) + Math.abs(data[4 * i + 2] - b) < 60)
			columns[i % width].push(Math.floor(i / width));
	return columns;
});

/* Where the labels are, on the canvas */
const places = page => page.$$eval('#labels .counter', list => list.map(e => ({
	name: e.querySelector('span').textContent, texts: e.querySelector('small').textContent.split(', max '),
	top: e.offsetTop - e.parentElement.offsetTop, height: e.offsetHeight,
})));

export function counterTests({ check, same, said, open, close, drawn, text }) {
	async function testCounters() {
		const page = await open('usage');
		const all = said('usage'), view = await drawn(page);
		const rows = all.map((o, i) => [o, i]).filter(([o]) => o.file === 'event' && o.function === 'jtrace_usage' &&
			o.args?.interrupts !== undefined);
		const list = await places(page), box = await page.locator('#marks').boundingBox();
		const first = all[0].time_ns;
		const xOf = time => (time - first - view.from) / (view.to - view.from) * view.width;
		const faults = [], pixels = await colouredPixels(page);
		const coloured = (x, from, end) => pixels[Math.round(x)].some(y => y >= from - 1 && y <= end);
		let points = 0, gaps = 0, unknown = 0;
		same('counters: their names', list.map(c => c.name).join(), COUNTERS.map(c => c[0]).join());
		for (const [k, [name, field, bytes]] of COUNTERS.entries()) {
			const { top, height, texts } = list[k];
			const values = rows.map(([o]) => Number(o.args[field])), most = Math.max(...values);
			check(`counters: ${name}: last and largest`, says(texts[0], values.at(-1), bytes) &&
				says(texts[1], most, bytes), { texts, last: values.at(-1), most });
			for (const [n, [o, row]] of rows.entries()) {
				const x = xOf(o.time_ns), y = top + 5 + (height - 10) * (1 - values[n] / (most || 1));
				const seen = coloured(x, values[n] < 0 ? top : y - 1, values[n] < 0 ? top + height - 2 : y + 2);
				if (seen !== values[n] >= 0)
					faults.push({ name, row, seen, value: values[n] });
				await page.mouse.move(box.x + x, box.y + top + height / 2);
				const [label, told] = (await text(page, 'what')).split(': ');
				if (label !== name || !says(told, values[n], bytes))
					faults.push({ name, row, label, told });
				points += values[n] >= 0;
				unknown += values[n] < 0;
				/* In the middle between two values */
				const apart = n ? o.time_ns - rows[n - 1][0].time_ns : 0;
				const joined = apart < 1.4 * SECOND && values[n] >= 0 && values[n - 1] >= 0;
				if (apart && coloured(xOf(o.time_ns - apart / 2), top, top + height - 2) !== joined)
					faults.push({ name, row, joined });
				gaps += apart && !joined;
			}
		}
		check(`counters: ${points} points, ${gaps} gaps, ${unknown} not known`, !faults.length &&
			points > 100 && gaps > 5 && unknown > 0, faults.slice(0, 3));
		const [, last] = rows.at(-1);
		await page.mouse.click(box.x + xOf(all[last].time_ns), box.y + list[0].top + 10);
		same('counters: a click on a value selects its event',
			await page.getAttribute('[aria-selected=true]', 'data-row'), String(last));
		await close(page, 'counters');
	}

	/* For each pixel at most three ticks, five bars and a strip in a lane, and five ends of lines of a counter */
	async function testDense() {
		const page = await open('dense'), want = said('dense'), { marks, width } = await drawn(page);
		const pairs = want.filter(o => o.function === 'irq_handler_exit').length;
		check('dense: more bars and values than pixels', pairs > 25 * width && want.length - 2 * pairs > 15 * width, { pairs, width });
		check(`dense: ${marks} marks`, marks > width && marks <= (9 + 5 * 5) * width, { marks, width });
		/* The line goes as high and as low as the values. */
		const [{ top, height }] = await places(page), pixels = await colouredPixels(page);
		const heights = pixels[Math.round(width / 2)].filter(y => y >= top && y < top + height);
		check('dense: the line has all heights', Math.min(...heights) <= top + 7 && Math.max(...heights) >= top + height / 2 - 4,
			heights);
		await close(page, 'dense');
	}

	return { testCounters, testDense };
}
