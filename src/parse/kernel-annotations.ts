/**
 * Files of annotations that PyTorch writes of the nodes of captured graphs, by the node's id that profilers show:
 * `{"TOOLS_ID": [{"module_fqn": "layers.0.wq", "name": "all_gather"}]}`.
 * Source: torch/cuda/_graph_annotations.py.
 */
import { join } from 'node:path';
import type { Diagnostics } from '../record/diagnostics.js';
import { nodeId } from './trace/trace-columns.js';
import type { NodeAnnotation } from './trace/graphs/captured-graph.js';
import { UserError } from '../record/errors.js';
import { namesIn, readJsonFile } from './files.js';
import { fieldOf, textOf } from './json/json-value.js';

export interface AnnotationFile {
  readonly path: string;
  readonly rank: number | null;
  /** Whether the user named it: then it has to be one. */
  readonly isGiven: boolean;
}

/** What PyTorch writes into the folder of a trace or the one above. */
const KERNEL_ANNOTATIONS = /^kernel_annotations_rank(\d{1,6})_.*\.json$/;

const LARGEST_FILE = 512 * 1024 * 1024;

/** The rank in the name of such a file; undefined for any other name. */
export function rankOfAnnotations(name: string): number | undefined {
  const rank = KERNEL_ANNOTATIONS.exec(name)?.[1];
  return rank === undefined ? undefined : Number(rank);
}

/** Those in the folder of a profile and in the one above, in order of name. */
export function annotationsBeside(folder: string): AnnotationFile[] {
  return [folder, join(folder, '..')].flatMap((place) =>
    namesIn(place, KERNEL_ANNOTATIONS).map((name) => ({
      path: join(place, name),
      rank: rankOfAnnotations(name) ?? null,
      isGiven: false,
    })),
  );
}

/**
 * Annotations by the id of a node. A file beside the profile that is none is counted.
 * @throws UserError for one that the user named
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
      if (file.isGiven) throw new UserError('is no file of annotations of the nodes of graphs', { where: file.path });
      diagnostics.count('file-beside-not-read');
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

/** Scopes around a node, outermost first: a text, or an object with a name or the path of a module. */
function annotationOf(scopes: readonly unknown[]): NodeAnnotation {
  const module = scopes.map((scope) => textOf(fieldOf(scope, 'module_fqn'))).findLast((name) => name !== null);
  const names = scopes.map((scope) => textOf(scope) ?? textOf(fieldOf(scope, 'name')));
  return {
    layer: module === undefined ? [] : layerPath(module),
    ranges: names.filter((name) => name !== null),
  };
}

/** `layers.0.attention.wq` → `layers.0`, `attention`, `wq`: an index belongs to the list before it. */
const layerPath = (module: string): string[] => module.split(/\.(?!\d+(?:\.|$))/);
