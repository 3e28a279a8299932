/* SPDX-License-Identifier: GPL-2.0 */
/* The events of an image, from a string of bytes; rows.c has the format. */

const DECIMAL = 0, NEGATIVE = 1, HEX = 2, TEXT = 3;	/* kinds of values */
const ESCAPED_BYTE = 1;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/* Browsers before 2025 have no function for it. */
function bytesOf(base64) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(base64);
	const text = atob(base64), bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	return bytes;
}

/* Reads bytes one after the other. */
class Reader {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
	}

	/* LEB128; a BigInt only if it is larger than what a number can hold */
	number() {
		let value = 0, scale = 1, byte;
		const start = this.at;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		return value <= Number.MAX_SAFE_INTEGER ? value : this.large(start);
	}

	large(start) {
		let value = 0n;
		for (let at = this.at - 1; at >= start; at--)
			value = value << 7n | BigInt(this.bytes[at] & 127);
		return value;
	}

	/* The lowest byte first */
	fixed(length) {
		const start = this.at;
		this.at += length;
		return length < 7 ? this.part(start, length) :
			BigInt(this.part(start + 4, length - 4)) << 32n | BigInt(this.part(start, 4));
	}

	part(start, length) {
		let value = 0;
		for (let at = start + length - 1; at >= start; at--)
			value = value * 256 + this.bytes[at];
		return value;
	}

	text(length) {
		return decoder.decode(this.bytes.subarray(this.at, this.at += length));
	}
}

function readShape(reader) {
	const shape = { site: reader.number(), context: reader.number(), stacked: reader.number() };
	shape.values = Array.from({ length: reader.number() }, () => {
		const code = reader.number();
		return { kind: code & 7, length: code >> 3 & 15, place: code >> 7 };
	});
	shape.texts = shape.values.filter(v => v.kind === TEXT).length;
	shape.length = shape.values.reduce((sum, v) => sum + v.length, 0);
	return shape;
}

/*
 * The events: `at` is where the values of each one begin, `texts` where each text does.  Calls
 * define() with each definition, before the events that need it, and event() with each event.
 */
function unpack(base64, define, event) {
	const bytes = bytesOf(base64), reader = new Reader(bytes);
	/* No event has less than three bytes. */
	const most = Math.floor(bytes.length / 3);
	const all = {
		bytes, nr: 0, texts: [], shapes: [], shape: new Uint32Array(most), at: new Uint32Array(most),
		time: new BigUint64Array(most), cpu: new Uint32Array(most), tid: new Float64Array(most),
		stack: new Uint32Array(most),
	};
	const threads = [];
	let now = 0n;

	/* Go over the values of an event. */
	function pass(shape) {
		reader.at += shape.length;
		if (!shape.texts)
			return;
		reader.at -= shape.length;
		for (const value of shape.values)
			if (value.kind !== TEXT)
				reader.at += value.length;
			else if (!reader.number())
				all.texts.push(passText());
	}

	function passText() {
		const start = reader.at, length = reader.number();
		reader.at += length;
		return start;
	}

	function readThread() {
		const number = reader.number();
		return number ? threads[number - 1] :
			threads[threads.push({ cpu: reader.number(), tid: reader.number() - 1 }) - 1];
	}

	while (reader.at < bytes.length) {
		const record = reader.number();
		if (record === 1) {
			define(JSON.parse(reader.text(reader.number())));
			continue;
		}
		const i = all.nr++, number = record ? record - 2 : all.shapes.push(readShape(reader)) - 1;
		const shape = all.shapes[number];
		now += BigInt(reader.number());
		const { cpu, tid } = readThread();
		all.time[i] = now;
		all.shape[i] = number;
		all.cpu[i] = cpu;
		all.tid[i] = tid;
		all.stack[i] = shape.stacked ? reader.number() : 0;
		all.at[i] = reader.at;
		pass(shape);
		event(i, shape, tid, all.stack[i]);
	}
	return all;
}

function readText(all, reader) {
	const number = reader.number();
	const own = number ? new Reader(all.bytes, all.texts[number - 1]) : reader;
	const end = own.number() + own.at;
	let text = '';
	while (own.at < end) {
		const plain = own.bytes.subarray(own.at, end).indexOf(ESCAPED_BYTE);
		text += own.text(plain < 0 ? end - own.at : plain);
		if (plain >= 0) {
			text += `\\x${own.bytes[own.at + 1].toString(16).padStart(2, '0')}`;
			own.at += 2;
		}
	}
	return text;
}

/* The values of an event, as texts: [place or 0, text] */
function unpackValues(all, i) {
	const reader = new Reader(all.bytes, all.at[i]);
	return all.shapes[all.shape[i]].values.map(({ kind, length, place }) => {
		if (kind === TEXT)
			return [place, readText(all, reader)];
		const value = reader.fixed(length);
		return [place, kind === HEX ? `0x${value.toString(16)}` : kind === NEGATIVE ? `-${value}` : `${value}`];
	});
}
