/**
 * The layers of a program above an engine's instructions, which its debug files have where it was compiled with them: lines
 * of the kernel (`penguin`), operations of the compiler's graph (`hlo`), operations of the framework (`pttf`). The file of
 * each layer names that of the next, and so do its records by number.
 */
import { elementAt } from '../../../../containers/element.js';
import {
  debugRecord,
  functionOf,
  numberOf,
  placeOf,
  recordsOf,
  sourceOf,
  type DebugRecord,
  type DebugTexts,
} from './debug-records.js';

const LAYERS = ['penguin', 'hlo', 'pttf'] as const;
const MEMBER = /^debug_info_(penguin|hlo|pttf)\.dbg(?:_sg(\d+))?$/;

/** Where an instruction comes from. */
export interface SourceNames {
  /** `%op0 = dot(%x, %y)` */
  readonly op: string | null;
  /** Outermost first. */
  readonly layer: readonly string[];
  /** `FILE:LINE` */
  readonly source: string | null;
  /** Attributes of the operation, as JSON. */
  readonly hloAttrs: string | null;
  /** Function of NKI. */
  readonly kernelName: string | null;
}

export const NO_NAMES: SourceNames = { op: null, layer: [], source: null, hloAttrs: null, kernelName: null };

interface LayerFile {
  readonly texts: DebugTexts;
  /** Not yet decoded. */
  readonly records: Map<number, Uint8Array>;
}

/** Layers of a program. Memory: the debug files, and the room that they take of the program's. */
export class DebugLayers {
  /** By layer, then by the number of the subgraph that the file's name has. */
  readonly #files = LAYERS.map(() => new Map<number, LayerFile>());

  static reads(file: string): boolean {
    return MEMBER.test(file);
  }

  /**
   * @param hasRoom takes room for one record, if there is some
   * @returns whether there was room for all of it
   * @throws RangeError or Error when the file is damaged; what was read of it before stays
   */
  takeMember(file: string, bytes: Buffer, hasRoom: () => boolean): boolean {
    const [, layer = '', subgraph = '0'] = MEMBER.exec(file) ?? [];
    const found: LayerFile = { texts: { files: [], functions: [] }, records: new Map() };
    this.#files[LAYERS.findIndex((each) => each === layer)]?.set(Number(subgraph), found);
    for (const record of recordsOf(bytes, found.texts)) {
      if (!hasRoom()) return false;
      // Modules and computations have no number either: the operation without one, 0, is the last of them.
      found.records.set(numberOf(record), record);
    }
    return true;
  }

  /**
   * @param subgraph number of the instruction's
   * @param numbers of the lines of the kernel that it was made of: the first that has a name or a place gives it
   */
  namesOf(subgraph: number, numbers: readonly number[]): SourceNames {
    const lines = this.#records(0, subgraph, numbers);
    const operations = this.#records(1, subgraph, parents(lines));
    const scopes = this.#records(2, subgraph, parents(operations));
    return {
      op: firstOf(operations, ({ record }) => record.name),
      layer: (firstOf(scopes, ({ record }) => record.name) ?? '').split('/').filter((part) => part !== ''),
      source:
        firstOf(lines, ({ record, texts }) => sourceOf(record, texts)) ??
        firstOf(operations, ({ record: { attributes } }) =>
          placeOf(attributes.get('source_file'), attributes.get('source_line')),
        ),
      hloAttrs: firstOf(operations, ({ record }) => attributesText(record)),
      kernelName: firstOf(lines, ({ record, texts }) => functionOf(record, texts)),
    };
  }

  #records(layer: number, subgraph: number, numbers: readonly number[]): readonly LayerRecord[] {
    const files = elementAt(this.#files, layer);
    // The subgraphs of a logical core share a file.
    const file = files.size === 1 ? [...files.values()][0] : files.get(subgraph);
    if (file === undefined) return [];
    return numbers.flatMap((number) => {
      const bytes = file.records.get(number);
      const record = bytes === undefined ? null : debugRecord(bytes);
      return record === null ? [] : [{ record, texts: file.texts }];
    });
  }
}

interface LayerRecord {
  readonly record: DebugRecord;
  readonly texts: DebugTexts;
}

const parents = (records: readonly LayerRecord[]): readonly number[] => records.flatMap(({ record }) => record.parents);

function firstOf(records: readonly LayerRecord[], textOf: (record: LayerRecord) => string | null): string | null {
  for (const record of records) {
    const text = textOf(record);
    if (text !== null && text !== '') return text;
  }
  return null;
}

/** As JSON, without those that are unknown: '' and 0. */
function attributesText({ attributes }: DebugRecord): string | null {
  const known = [...attributes].filter(([, value]) => value !== '' && value !== '0');
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}
