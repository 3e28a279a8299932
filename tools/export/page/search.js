/* SPDX-License-Identifier: GPL-2.0 */
/* Search: which of the rows that are shown match. */

/* Return how to test a text; null if there is nothing to search.  Throws if it is no expression. */
function matcher(query) {
	const expression = query.match(/^\/(.+)\/([iu]*)$/);
	if (!query)
		return null;
	if (expression) {
		const regex = new RegExp(expression[1], expression[2] + 'm');
		return text => regex.test(text);
	}
	const plain = query.toLowerCase();
	return text => text.toLowerCase().includes(plain);
}

/* Both ways in which the page writes a number: in decimal, and in hex */
function numberTexts(text) {
	const number = text[0] === '-' ? -BigInt(text.slice(1)) : BigInt(text);
	return [`${number}`, number < 0n ? '' : `0x${number.toString(16)}`];
}

/* What a search looks at; kept, because each key searches all rows */
const searched = [];
const textOf = i => searched[i] ??= searchable(i);

/* Has an event a value that is one of these texts?  With a name, only an argument of that name. */
function hasValue(i, name, texts) {
	return argsOf(i).some(([n, v]) => (!name || n.toLowerCase() === name) &&
		texts.includes(v.split(' ', 1)[0]));
}

/* Return how to test a row; null if there is nothing to search.  Throws as matcher() does. */
function rowMatcher(query) {
	const [, name, value] = /^(?:([a-z_]\w*)=)?(0x[0-9a-f]+|-?(?:0|[1-9]\d*))$/i.exec(query) ?? [];
	const matches = matcher(query), texts = value && numberTexts(value);
	const inText = i => matches(textOf(i));
	/* Most rows do not even have the digits. */
	const mayHave = i => !rows.log[i] && texts.some(text => textOf(i).includes(text));
	if (name)
		return i => rows.log[i] ? inText(i) : mayHave(i) && hasValue(i, name.toLowerCase(), texts);
	if (value)
		return i => inText(i) || (mayHave(i) && hasValue(i, null, texts));
	return matches && inText;
}

/* A regex of an address may take for ever: it waits until somebody asks for it. */
const isHeld = el => el.dataset.held === el.value && /^\/.+\/[iu]*$/.test(el.value);

function find() {
	let matches = null;
	state.error = '';
	try {
		matches = isHeld(search) ? null : rowMatcher(search.value);
	} catch (e) {
		state.error = 'Not a regular expression';
	}
	state.hits = matches ? state.shown.filter(matches) : new Uint32Array(0);
	state.isHit.fill(0);
	for (const lane of allLanes)
		lane.hits = [];
	for (const i of state.hits) {
		state.isHit[i] = 1;
		for (const lane of lanesOf(i))
			lane.hits.push(i);
	}
	search.setAttribute('aria-invalid', state.error !== '');
	tellHits();
}

function tellHits() {
	const { hits } = state, at = state.selected >= 0 && state.isHit[state.selected] ?
		lowerIndex(hits, state.selected) + 1 : 0;
	const number = hits.length ? (at ? `${count(at)} of ` : '') + count(hits.length) : 'no';
	$('count').textContent = state.error || (isHeld(search) ? 'Enter searches' : !search.value ? '' :
		`${number} match${hits.length === 1 ? '' : 'es'}`);
	$('before').disabled = $('after').disabled = !hits.length;
}

/* Select the next hit in a direction, around the ends. */
function jump(by) {
	const { hits } = state;
	if (!hits.length)
		return;
	const at = state.selected < 0 ? (by > 0 ? -1 : 0) :
		lowerIndex(hits, state.selected) - (by > 0 && !state.isHit[state.selected] ? 1 : 0);
	select(hits[(at + by + hits.length) % hits.length]);
}
