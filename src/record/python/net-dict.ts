/**
 * Writes a kernel as PyProf and PyProf2 do in `net.dict`: one Python dict a line, whose calls are marker strings.
 *
 * Record fields without a place in their dict are left out: start times, processes, other ranges. A kernel that is not of
 * the backward pass is 'fprop' there. A whole number in a list of a marker is written as an integer, because records do not
 * distinguish integers and floats.
 */
import type { Arg, ArgValue, Extent, KernelRecord, OpCall } from '../record.js';

/**
 * Characters that Python escapes: control characters, unprintable characters, backslashes, and all blanks except the space.
 */
const ESCAPED = /[\p{C}\p{Zl}\p{Zp}\\]|(?! )\p{Zs}/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A string literal, in single quotes, or in double quotes when that avoids escapes. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const plain =
    quote === "'" ? text.replaceAll(ESCAPED, escape).replaceAll("'", "\\'") : text.replaceAll(ESCAPED, escape);
  return quote + plain + quote;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
  const long = code > 0xffff ? `\\U${hex(8)}` : code > 0xff ? `\\u${hex(4)}` : `\\x${hex(2)}`;
  return SHORT_ESCAPES[character] ?? long;
}

const pythonList = (items: readonly string[]): string => `[${items.join(', ')}]`;

/** A tuple; a comma follows a single item. */
export const pythonTuple = (items: readonly string[]): string =>
  items.length === 1 ? `(${items.join()},)` : `(${items.join(', ')})`;

const pythonDict = (fields: readonly (readonly [key: string, value: string])[]): string =>
  `{${fields.map(([key, value]) => `${pythonString(key)}: ${value}`).join(', ')}}`;

/** An integer, or None for an unknown value. */
const pythonInteger = (value: number | null): string => (value === null ? 'None' : String(BigInt(value)));

/**
 * Digits before the point from which Python uses an exponent, and leading zeros after the point up to which it does not.
 */
const [MOST_DIGITS, MOST_ZEROS] = [16, 4];

/** A Python float, which always has a point or an exponent. */
export function pythonFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value !== 0 && (power >= MOST_DIGITS || power < -MOST_ZEROS))
    return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  const text = power < 0 ? value.toFixed(digits.replace(/\D/g, '').length - 1 - power) : String(value);
  const signed = Object.is(value, -0) ? '-0' : text;
  return signed.includes('.') ? signed : `${signed}.0`;
}

/** The dict of a kernel, without a line feed. */
export function netDictOf(kernel: KernelRecord): string {
  return pythonDict([
    ['kShortName', pythonString(kernel.short)],
    ['kDuration', pythonInteger(kernel.dur)],
    ['layer', texts(kernel.layer)],
    ['trace', texts(kernel.trace)],
    ['reprMarkers', texts(kernel.repr)],
    ['marker', texts(kernel.calls.map(markerOf))],
    ['seqMarker', texts(kernel.seqMarker)],
    ['seqId', integers(kernel.seq)],
    ['subSeqId', pythonInteger(kernel.sub)],
    ['altSeqId', integers(kernel.altSeq)],
    ['dir', pythonString(kernel.dir ?? 'fprop')],
    ['mod', texts(kernel.mod)],
    ['op', texts(kernel.op)],
    ['tid', pythonInteger(kernel.tid)],
    ['device', pythonInteger(kernel.device)],
    ['stream', pythonInteger(kernel.stream)],
    ['grid', extents(kernel.grid)],
    ['block', extents(kernel.block)],
    ['kLongName', pythonString(kernel.name)],
  ]);
}

const texts = (list: readonly string[]): string => pythonList(list.map(pythonString));
const integers = (list: readonly number[]): string => pythonList(list.map(pythonInteger));
const extents = (extent: Extent | null): string => (extent === null ? 'None' : pythonTuple(extent.map(pythonInteger)));

/** The text of the marker for a call. */
const markerOf = ({ mod, op, args }: OpCall): string =>
  pythonDict([
    ['mod', pythonString(mod)],
    ['op', pythonString(op)],
    ['args', pythonList(args.flatMap((arg) => arg.items ?? [arg]).map(argumentOf))],
  ]);

function argumentOf({ name, type, shape, dtype, value }: Arg): string {
  const fields: [string, string][] = [
    ['name', pythonString(name)],
    ['type', pythonString(type)],
  ];
  if (shape !== undefined) fields.push(['shape', pythonTuple(shape.map(pythonInteger))]);
  if (dtype !== undefined) fields.push(['dtype', pythonString(dtype)]);
  if (value !== undefined) fields.push(['value', valueOf(value, type)]);
  return pythonDict(fields);
}

/** Integers beyond 2^53 are decimal strings in records; markers have infinities as text too. */
const WHOLE = /^-?\d+$/;

/** @param type type of the argument; nested values with items are tuples or lists too */
function valueOf(value: ArgValue, type: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number')
    return type === 'float' || !Number.isInteger(value) ? pythonFloat(value) : pythonInteger(value);
  if (typeof value === 'string') return type === 'int' && WHOLE.test(value) ? value : pythonString(value);
  const items = value.map((item) => valueOf(item, type));
  return type === 'tuple' ? pythonTuple(items) : pythonList(items);
}
