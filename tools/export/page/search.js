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

/* The number that a value begins with, or a query is; null if none */
function numberOf(value) {
	const text = /^(0x[0-9a-f]+|-?\d+)(?= |$)/i.exec(value)?.[1];
	return text === undefined ? null : text[0] === '-' ? -BigInt(text.slice(1)) : BigInt(text);
}

/* Has a row this value, in decimal or hex?  With a name, only an argument of that name. */
function hasValue(i, name, number) {
	/* Arguments without a name are called as their places. */
	if (rows.log[i] || (name?.length > 1 && !siteOf(i).args?.includes(name)))
		return false;
	return argsOf(i).some(([n, v]) => (!name || n === name) && numberOf(v) === number);
}

/* Return how to test a row; null if there is nothing to search.  Throws as matcher() does. */
function rowMatcher(query) {
	const [, name, value] = /^(?:([a-z_]\w*)=)?(0x[0-9a-f]+|-?\d+)$/i.exec(query) ?? [];
	const matches = matcher(query), number = value && numberOf(value);
	if (name)
		return i => hasValue(i, name, number);
	if (value)
		return i => matches(searchable(i)) || hasValue(i, null, number);
	return matches && (i => matches(searchable(i)));
}

function find() {
	let matches = null;
	state.error = '';
	try {
		matches = rowMatcher(search.value);
	} catch (e) {
		state.error = 'Not a regular expression';
	}
	state.hits = matches ? state.shown.filter(matches) : new Uint32Array(0);
	state.isHit.fill(0);
	for (const lane of lanes)
		lane.hits = [];
	for (const i of state.hits) {
		state.isHit[i] = 1;
		lanes[rows.lane[i]].hits.push(i);
	}
	search.setAttribute('aria-invalid', state.error !== '');
	tellHits();
}

function tellHits() {
	const { hits } = state, at = state.selected >= 0 && state.isHit[state.selected] ?
		lowerIndex(hits, state.selected) + 1 : 0;
	const number = hits.length ? (at ? `${count(at)} of ` : '') + count(hits.length) : 'no';
	$('count').textContent = state.error || (!search.value ? '' :
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
