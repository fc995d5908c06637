/** The compiled program as sections of a summary. */
import type { ProgramSummary, RoleTensors } from '../../../prof/summary/program-sums.js';
import { amountText, UNKNOWN } from '../../../record/units.js';
import { grouped, many } from '../../../record/plural.js';
import { plain, type About, type Section } from './summary-section.js';

/** Rows of each list. */
const MOST = 8;

export function programSections({ unit }: About, program: ProgramSummary): Section[] {
  return [
    ...program.tensors.map(tensorSection),
    ...(program.layers === 0 ? [] : [layerSection(program, unit.text.bind(unit))]),
  ];
}

function tensorSection({ role, count, bytes, listed }: RoleTensors): Section {
  const rows = listed
    .slice(0, MOST)
    .map((tensor) => [
      tensor.name,
      tensor.shape === null ? UNKNOWN : `[${tensor.shape.join(',')}]`,
      tensor.dtype ?? UNKNOWN,
      tensor.bytes === null ? UNKNOWN : grouped(tensor.bytes),
      '',
    ]);
  const size = bytes === null ? UNKNOWN : amountText(bytes, 'memory');
  const head = ['name', 'shape', 'dtype', 'bytes', ''];
  const title = `Tensors of the program, ${role ?? 'role unknown'}: ${grouped(count)}, ${size}`;
  return { ...plain(title, null), head, right: [3], rows: [...rows, ...more(count, 5)] };
}

function layerSection({ layers, listedLayers }: ProgramSummary, time: (ns: number) => string): Section {
  const rows = listedLayers
    .slice(0, MOST)
    .map(({ name, device, start, end }) => [
      name,
      device === null ? UNKNOWN : `device ${device}`,
      time(start),
      end === null ? UNKNOWN : time(end),
      '',
    ]);
  const head = ['layer', 'device', 'start', 'end', ''];
  const title = `Layers: ${many(layers, 'layer')}, start and end`;
  return { ...plain(title, null), head, right: [2, 3], rows: [...rows, ...more(layers, 5)] };
}

const more = (count: number, cells: number): string[][] =>
  count <= MOST ? [] : [[`and ${grouped(count - MOST)} more`, ...new Array<string>(cells - 1).fill('')]];
