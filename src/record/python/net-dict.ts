/**
 * A kernel as PyProf and PyProf2 write it into `net.dict`: one Python dict a line, whose calls are marker texts.
 *
 * What their dict has no place for is left out: starts, processes, other ranges. A kernel that is not of the backward pass
 * is 'fprop' there. A number in a list of a marker is an integer where it is a whole one: records do not distinguish them.
 */
import { pythonDict, pythonFloat, pythonInteger, pythonList, pythonString, pythonTuple } from './python-text.js';
import type { Arg, ArgValue, Extent, KernelRecord, OpCall } from '../record.js';

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

/** The text of the marker around a call. */
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

/** Integers beyond 2^53 are decimal strings in records; infinities are texts in markers too. */
const WHOLE = /^-?\d+$/;

/** @param type of the argument: what is in a tuple or a list is a tuple or a list too where it has items */
function valueOf(value: ArgValue, type: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number')
    return type === 'float' || !Number.isInteger(value) ? pythonFloat(value) : pythonInteger(value);
  if (typeof value === 'string') return type === 'int' && WHOLE.test(value) ? value : pythonString(value);
  const items = value.map((item) => valueOf(item, type));
  return type === 'tuple' ? pythonTuple(items) : pythonList(items);
}
