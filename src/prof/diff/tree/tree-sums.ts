/** Sums of one input by place in the tree: layer, op, and call of the op in a step. */
import { addTimes } from '../../../record/fields/times.js';
import { addTo, largestEntry } from '../../../containers/map-entry.js';
import type { CellValue } from '../../../table/column.js';
import type { Annotated } from '../../annotate.js';
import { requireColumn } from '../../columns/columns.js';
import { decodedSum } from '../../partial/kernels/kernel-part.js';
import type { PartGroups } from '../../partial/kernels/part-groups.js';
import { communicates, operationName, UNKNOWN_OPERATION } from '../../steps/step-work.js';
import { OpSums, Texts } from './op-sums.js';
import type { KernelRecord } from '../../../record/record.js';

/** Maximum number of places of one input; further kernels are in one place together. */
const MOST_PLACES = 20_000;

/** Maximum number of calls of an op in a layer and step that are compared one by one. */
const MOST_CALLS = 64;

/** Maximum number of sums of single calls in one input. */
const MOST_SINGLE = 50_000;

/** Where a kernel belongs in the program. */
export interface Place {
  /** Names of layers, outermost first. */
  readonly layers: readonly string[];
  /** The op, or the kernel's short name if no op is known. */
  readonly name: string;
  readonly isOp: boolean;
  /** Whether it belongs to the backward pass. */
  readonly isBackward: boolean;
}

/** What is known about the kernels at one place, to find their counterparts. */
class PlaceTexts {
  /** Names of the ops around the kernels. */
  readonly ops = new Texts();
  /** Ops that torch.compile fused into the kernels. */
  readonly fused = new Texts();
  /** Time by category, in ns. */
  readonly #categories = new Map<string, number>();

  add({ calls, fused, category }: Annotated, dur: number): void {
    for (const { op } of calls) this.ops.add(plainName(op));
    for (const op of fused ?? NO_NAMES) this.fused.add(op);
    if (category !== null) addTo(this.#categories, category, dur);
  }

  /** Category of the kernels that take the most time among those with a category; null without any. */
  get category(): string | null {
    return largestEntry(this.#categories)?.[0] ?? null;
  }
}

const NO_NAMES: readonly string[] = [];

/** Name of an op without the library that computes it, and without the `_` of an op that works in place. */
const plainName = (op: string): string =>
  op.replace(/^(?:cudnn|miopen|mkldnn|native)_(?=[a-z])/, '').replace(/(?<=[A-Za-z0-9])_$/, '');

/** The kernels at one place in one input. */
export interface PlaceSums extends Place {
  readonly texts: PlaceTexts;
  readonly sums: OpSums;
  /** Sums of each call in a step, in order; empty when steps differ in their number, or when it is too large. */
  readonly calls: readonly OpSums[];
}

/** Place of the kernels beyond the maximum. */
const OTHERS: Place = { layers: [], name: '[other kernels]', isOp: false, isBackward: false };

/** Modules that only wrap a model: one of two profiles may lack them. */
const WRAPPER = /^(?:DataParallel|DistributedDataParallel|FullyShardedDataParallel|OptimizedModule)_\d+$/;

/** Maximum depth of layers around a kernel; deeper layers count as the last of these. */
const MOST_LAYERS = 64;

const comparable = (layers: readonly string[]): readonly string[] =>
  layers.filter((layer) => !WRAPPER.test(layer)).slice(0, MOST_LAYERS);

const keyOf = ({ layers, name, isOp, isBackward }: Place): string =>
  [...layers, `${Number(isOp)}${Number(isBackward)}${name}`].join('\u0000');

/** Maximum number of steps and of calls that are open at a time: work of one may overlap the next. */
const [OPEN_STEPS, OPEN_CALLS] = [2, 8];

/** A call whose kernels may still come. */
interface OpenCall {
  readonly place: number;
  readonly id: number | null;
  readonly seq: number | undefined;
  sub: number;
}

interface OpenStep {
  readonly sample: number;
  readonly calls: OpenCall[];
  count: number;
}

/** Number of calls in a step: undefined before the first step, null when steps differ. */
type PerStep = number | null | undefined;

const joined = (known: PerStep, count: number): PerStep => (known === undefined || known === count ? count : null);

/**
 * Which call of an op in a layer a kernel belongs to: the first in its step, the second … Kernels arrive
 * in order of start time. Bounded: only the calls of the last few steps are open, and only the last few calls of each.
 */
class CallOrder {
  readonly #open: OpenStep[] = [];

  /** @param sample number of the step */
  take(sample: number, record: KernelRecord, id: number | null): { readonly place: number; readonly isNew: boolean } {
    const step = this.#stepOf(sample);
    const [seq] = record.seq;
    const known = step.calls.find((call) =>
      id === null ? call.id === null && call.seq === seq && record.sub > call.sub : call.id === id,
    );
    if (known !== undefined) {
      known.sub = record.sub;
      return { place: known.place, isNew: false };
    }
    const place = step.count++;
    step.calls.push({ place, id, seq, sub: record.sub });
    if (step.calls.length > OPEN_CALLS) step.calls.shift();
    return { place, isNew: true };
  }

  #perStep: PerStep = undefined;

  /** Number of calls in each step that has any; null when steps differ. */
  get perStep(): number | null {
    let all = this.#perStep;
    for (const { count } of this.#open) all = joined(all, count);
    return all ?? null;
  }

  #stepOf(sample: number): OpenStep {
    const known = this.#open.find((step) => step.sample === sample);
    if (known !== undefined) return known;
    const step: OpenStep = { sample, calls: [], count: 0 };
    this.#open.push(step);
    if (this.#open.length > OPEN_STEPS) this.#perStep = joined(this.#perStep, this.#open.shift()?.count ?? 0);
    return step;
  }
}

class OpenPlace {
  readonly sums = new OpSums();
  readonly texts = new PlaceTexts();
  readonly #order = new CallOrder();
  readonly #outside = new CallOrder();
  readonly #calls: OpSums[] = [];

  constructor(readonly place: Place) {}

  /**
   * @param dur in ns
   * @param makeSums makes the sums of a single call; null when there are too many
   */
  add(row: Annotated, dur: number, sample: Sample, makeSums: () => OpSums | null): void {
    const { record } = row;
    const id = this.place.isOp ? callIdOf(row) : record.id;
    const { place, isNew } = (sample.isStep ? this.#order : this.#outside).take(sample.number, record, id);
    this.texts.add(row, dur);
    this.sums.add(row, dur, isNew);
    if (place > this.#calls.length || place >= MOST_CALLS) return;
    const sums = this.#calls[place] ?? makeSums();
    if (sums === null) return;
    this.#calls[place] = sums;
    sums.add(row, dur, isNew);
  }

  close(): PlaceSums {
    const perStep = this.#order.perStep ?? this.#outside.perStep;
    const isRegular = perStep !== null && perStep === this.#calls.length;
    return { ...this.place, texts: this.texts, sums: this.sums, calls: isRegular ? this.#calls : [] };
  }
}

/** Number of the outermost op call; null when calls have no numbers. */
const callIdOf = ({ calls, record }: Annotated): number | null =>
  calls === record.calls ? (record.callIds?.[0] ?? null) : null;

/** A step, or the work outside of steps. */
interface Sample {
  readonly number: number;
  readonly isStep: boolean;
}

const GROUP_KEYS = ['layer', 'op', 'dir'] as const;

export class TreeSums {
  readonly #places = new Map<string, OpenPlace>();

  #single = 0;

  /** @param dur in ns */
  add(row: Annotated, dur: number, sample: Sample): void {
    this.#at(placeOf(row)).add(row, dur, sample, () => (this.#single++ < MOST_SINGLE ? new OpSums() : null));
  }

  /**
   * Adds the groups of a partial answer.
   * @throws UserError when these lack a column
   */
  addPart(groups: PartGroups): void {
    const [layer, op, dir] = GROUP_KEYS.map((key) => groups.getter(requireColumn(key)));
    const kernel = groups.part.keys.includes('kernel') ? groups.getter(requireColumn('kernel')) : () => null;
    for (const group of groups.groups) {
      let [count, time] = [0, 0];
      for (const step of groups.stepTimes(group)) {
        count += step.kernels;
        time = addTimes(time, step.time);
      }
      const [name, short] = [text(op?.(group)), text(kernel(group))];
      const layers = [layer?.(group) ?? []].flat().map(String);
      this.#at({
        layers: comparable(layers),
        name: name === null ? (short ?? OTHERS.name) : plainName(name),
        isOp: name !== null,
        isBackward: dir?.(group) === 'bprop',
      }).sums.addGroup(decodedSum(group.work ?? [], count, time), short);
    }
  }

  get places(): Map<string, PlaceSums> {
    return new Map([...this.#places].map(([key, place]) => [key, place.close()]));
  }

  #at(place: Place): OpenPlace {
    const key = keyOf(place);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    if (this.#places.size >= MOST_PLACES && place !== OTHERS) return this.#at(OTHERS);
    const made = new OpenPlace(place);
    this.#places.set(key, made);
    return made;
  }
}

const text = (value: CellValue | undefined): string | null => (typeof value === 'string' ? value : null);

function placeOf(row: Annotated): Place {
  const { record, op } = row;
  const operation = communicates(record) ? operationName(record) : UNKNOWN_OPERATION;
  const name = op ?? (operation === UNKNOWN_OPERATION ? null : operation);
  return {
    layers: comparable(row.layer),
    name: name === null ? record.short : plainName(name),
    isOp: name !== null,
    isBackward: record.dir === 'bprop',
  };
}
