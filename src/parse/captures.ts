/**
 * Finds the graph captures that servers write apart from the traces of their replays: traces in a folder
 * `capture_traces` next to these, with a table that says which batch size and mode each capture is for. Also reads
 * annotations of graph nodes.
 */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSystemError, UserError } from '../record/errors.js';
import { fieldOf, sizeOf, textOf } from './json/json-value.js';
import { isFile, namesIn, pathsIn, readJsonFile } from './files.js';
import { packedCopies } from './input/unpack.js';
import { openInput, rankOf } from './source.js';
import type { Diagnostics } from '../record/diagnostics.js';
import { nodeId } from './trace/trace-columns.js';
import type { NodeAnnotation } from './trace/graphs/captured-graph.js';

/**
 * A file of annotations that PyTorch writes for the nodes of captured graphs, by the node id that profilers show:
 * `{"TOOLS_ID": [{"module_fqn": "layers.0.wq", "name": "all_gather"}]}`. Source: torch/cuda/_graph_annotations.py.
 */
interface AnnotationFile {
  readonly path: string;
  readonly rank: number | null;
  /** Whether the user named the file: then it is an error if it is not such a file. */
  readonly isGiven: boolean;
}

/** Annotation files that PyTorch writes into the folder of a trace or its parent folder. */
const KERNEL_ANNOTATIONS = /^kernel_annotations_rank(\d{1,6})_.*\.json$/;

const LARGEST_FILE = 512 * 1024 * 1024;

/** The rank in the name of an annotation file; undefined for any other name. */
function rankOfAnnotations(name: string): number | undefined {
  const rank = KERNEL_ANNOTATIONS.exec(name)?.[1];
  return rank === undefined ? undefined : Number(rank);
}

/** Annotation files in the folder of a profile and in its parent folder, in order of name. */
function annotationsBeside(folder: string): AnnotationFile[] {
  return [folder, join(folder, '..')].flatMap((place) =>
    namesIn(place, KERNEL_ANNOTATIONS).map((name) => ({
      path: join(place, name),
      rank: rankOfAnnotations(name) ?? null,
      isGiven: false,
    })),
  );
}

/**
 * Annotations by node id. A file found next to the profile that is not an annotation file is counted.
 * @throws UserError when such a file was named by the user
 */
export function readAnnotations(
  files: readonly AnnotationFile[],
  rank: number | null,
  diagnostics: Diagnostics,
): ReadonlyMap<number, NodeAnnotation> {
  const found = new Map<number, NodeAnnotation>();
  for (const file of files) {
    if (rank !== null && file.rank !== null && file.rank !== rank) {
      diagnostics.count('capture-of-another-rank');
      continue;
    }
    const nodes = readJsonFile(file.path, LARGEST_FILE);
    if (typeof nodes !== 'object' || nodes === null || Array.isArray(nodes)) {
      if (file.isGiven) throw new UserError('is not a CUDA graph annotation file', { where: file.path });
      diagnostics.count('companion-file-not-read');
      continue;
    }
    for (const [id, value] of Object.entries(nodes)) {
      if (!/^\d{1,16}$/.test(id) || Number.isNaN(nodeId(Number(id)))) continue;
      const annotation = annotationOf(Array.isArray(value) ? (value as unknown[]) : [value]);
      if (annotation.layer.length + annotation.ranges.length > 0) found.set(Number(id), annotation);
    }
  }
  return found;
}

/** Reads the scopes around a node, outermost first: each is a string, or an object with a name or the path of a module. */
function annotationOf(scopes: readonly unknown[]): NodeAnnotation {
  const module = scopes.map((scope) => textOf(fieldOf(scope, 'module_fqn'))).findLast((name) => name !== null);
  const names = scopes.map((scope) => textOf(scope) ?? textOf(fieldOf(scope, 'name')));
  return {
    layer: module === undefined ? [] : layerPath(module),
    ranges: names.filter((name) => name !== null),
  };
}

/** Splits `layers.0.attention.wq` into `layers.0`, `attention` and `wq`. An index stays with its list. */
const layerPath = (module: string): string[] => module.split(/\.(?!\d+(?:\.|$))/);

/** An unpacked trace of captures. */
export interface CaptureFile {
  /** Name that the user sees. */
  readonly name: string;
  /** File with the bytes, uncompressed. */
  readonly path: string;
  readonly rank: number | null;
  /** Whether the user named the file: then it is an error if it is not such a file. */
  readonly isGiven: boolean;
  /** Batch size and mode of its graphs; null when the table has no row for the file. */
  readonly batch: number | null;
  readonly mode: string | null;
}

/** Files with the captures of a profile's graphs. */
export interface CaptureFiles {
  readonly traces: readonly CaptureFile[];
  readonly annotations: readonly AnnotationFile[];
  /** Number of files in a folder that cannot be read. */
  readonly unreadable: number;
}

interface OpenedCaptures {
  readonly files: CaptureFiles;
  /** Removes temporary files. */
  dispose(): void;
}

/** Folder next to a trace with the traces of its graphs' captures, and the name of the table that describes them. */
const CAPTURE_TRACES = { folder: 'capture_traces', table: 'execution_details.json' } as const;
const TRACES = /\.json(?:\.gz)?$/;
const LARGEST_TABLE = 16 * 1024 * 1024;

/** Files that are read together with a profile whose graphs were captured elsewhere. */
export const capturesBeside = (folder: string): string[] => [
  ...annotationsBeside(folder).map(({ path }) => path),
  ...pathsIn(join(folder, CAPTURE_TRACES.folder), (name) => TRACES.test(name)),
];

/**
 * Whether the folder of a file marks it as a trace of captures, which is read together with the traces next to that
 * folder.
 */
export const isInCaptureFolder = (path: string): boolean => basename(dirname(path)) === CAPTURE_TRACES.folder;

/**
 * The captures that a profile may replay, from the file or folder that the user names, otherwise from the folder next to
 * the profile. Captures of other ranks are left out if file names state ranks.
 * @param name the profile as the user gave it
 * @throws UserError when the user's file or folder does not exist or cannot be read
 */
export async function openCaptures(given: string | undefined, name: string): Promise<OpenedCaptures> {
  if (given !== undefined && rankOfAnnotations(basename(given)) !== undefined) {
    if (!isFile(given)) throw new UserError('no such file', { where: given });
    return withoutTraces([{ path: given, rank: null, isGiven: true }]);
  }
  const annotations = name === '-' ? [] : annotationsBeside(dirname(name));
  const beside = join(dirname(name), CAPTURE_TRACES.folder);
  const place = given ?? (name === '-' ? null : beside);
  const stat = place === null ? undefined : statSync(place, { throwIfNoEntry: false });
  if (place === null || stat === undefined) {
    if (given !== undefined) throw new UserError('no such file or directory', { where: given });
    return withoutTraces(annotations);
  }
  const isFolder = stat.isDirectory();
  if (!isFolder && given === undefined) return withoutTraces(annotations);
  const all = isFolder ? await tracesIn(place) : [basename(place)];
  const folder = isFolder ? place : dirname(place);
  const rank = rankOf(basename(name));
  const fitting = all.filter((file) => !isFolder || rank === null || [rank, null].includes(rankOf(file)));
  if (given !== undefined && fitting.length === 0) {
    const what = all.length === 0 ? 'no trace (*.json, *.json.gz) in it' : `no capture of rank ${String(rank)} in it`;
    throw new UserError(what, { where: given });
  }
  const { traces, unreadable, dispose } = await openAll(folder, fitting, given !== undefined && !isFolder);
  return { files: { traces, annotations, unreadable }, dispose };
}

const withoutTraces = (annotations: readonly AnnotationFile[]): OpenedCaptures => ({
  files: { traces: [], annotations, unreadable: 0 },
  dispose: () => undefined,
});

async function tracesIn(folder: string): Promise<string[]> {
  const names = namesIn(folder, TRACES).filter((name) => name !== CAPTURE_TRACES.table && isFile(join(folder, name)));
  const copies = new Set(await packedCopies(names.map((name) => join(folder, name))));
  return names.filter((name) => !copies.has(join(folder, name)));
}

/** @throws UserError when the file that the user named cannot be read */
async function openAll(
  folder: string,
  names: readonly string[],
  isGiven: boolean,
): Promise<Pick<CaptureFiles, 'traces' | 'unreadable'> & { readonly dispose: () => void }> {
  const rows = tableOf(folder);
  const disposals: (() => void)[] = [];
  const dispose = (): void => {
    for (const each of disposals) each();
  };
  const traces: CaptureFile[] = [];
  let unreadable = 0;
  for (const file of names) {
    try {
      const input = await openInput(join(folder, file));
      disposals.push(() => input.dispose());
      const { batch = null, mode = null } = rows.get(file) ?? {};
      traces.push({ name: input.name, path: input.path, rank: rankOf(file), isGiven, batch, mode });
    } catch (error) {
      if (!isGiven && (error instanceof UserError || isSystemError(error))) {
        unreadable++;
        continue;
      }
      dispose();
      throw error;
    }
  }
  return { traces, unreadable, dispose };
}

/** Rows of the table, by file. */
function tableOf(folder: string): ReadonlyMap<string, Pick<CaptureFile, 'batch' | 'mode'>> {
  const rows = readJsonFile(join(folder, CAPTURE_TRACES.table), LARGEST_TABLE);
  return new Map(
    (Array.isArray(rows) ? (rows as unknown[]) : []).flatMap((row) => {
      const file = textOf(fieldOf(row, 'file'));
      const batch = sizeOf(fieldOf(row, 'batch_size'));
      return file === null ? [] : [[basename(file), { batch, mode: textOf(fieldOf(row, 'mode')) }] as const];
    }),
  );
}
