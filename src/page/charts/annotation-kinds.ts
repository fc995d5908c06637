/**
 * Annotations in the page's data by kind: user or framework; annotations whose names differ only in numbers are one kind.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { Annotation } from '../../prof/html/page-data.js';

export interface ListedAnnotation extends Annotation {
  /** Index of the annotation in the page's data. */
  readonly at: number;
}

export interface AnnotationKind {
  /** The text; for several members, differing numbers are replaced by `#`. */
  readonly name: string;
  /** Whether a framework or a library, not the user's program, created it. */
  readonly isFramework: boolean;
  /** Members, most device time first. */
  readonly members: readonly ListedAnnotation[];
  /** Sums over the members; null when none is known. */
  readonly count: number | null;
  readonly time: number | null;
  readonly own: number | null;
  readonly passes: number | null;
  readonly host: number | null;
  readonly hostSelf: number | null;
  readonly guessed: number;
}

/** Names created by PyTorch, its compilers, NCCL and CANN: ops with their module, autograd nodes, internal ranges. */
const OF_FRAMEWORK: readonly RegExp[] = [
  /^[\w.]+::/,
  /Backward\d*$/,
  /^ProfilerStep#/,
  /^(?:Optimizer|DistributedDataParallel|DataParallel|FullyShardedDataParallel)\./,
  /^(?:enumerate\(DataLoader|record_param_comms|PyTorch Profiler|Torch-Compiled|## Call|CompiledFunction|TorchDynamo)/,
  /(?:^|:)(?:nccl|rccl|hccl|aclnn)/i,
];

export const isOfFramework = (text: string): boolean => OF_FRAMEWORK.some((pattern) => pattern.test(text));

/** The common form of strings of one kind, with `#` for the numbers that differ. */
function commonName(texts: readonly string[]): string {
  const parts = texts.map((text) => text.split(/(\d+)/));
  const [first = []] = parts;
  return first.map((part, i) => (parts.every((other) => other[i] === part) ? part : '#')).join('');
}

const withoutNumbers = (text: string): string => text.replace(/\d+/g, '#');

function sum(
  members: readonly ListedAnnotation[],
  key: 'count' | 'time' | 'own' | 'passes' | 'host' | 'hostSelf',
): number | null {
  const known = members.flatMap((member) => (member[key] === null ? [] : [member[key]]));
  return known.length === 0 ? null : known.reduce((all, value) => all + value, 0);
}

function kindOf(members: readonly ListedAnnotation[]): AnnotationKind {
  return {
    name: commonName(members.map(({ text }) => text)),
    isFramework: members.every(({ text }) => isOfFramework(text)),
    members,
    guessed: members.reduce((all, member) => all + member.guessed, 0),
    ...{ count: sum(members, 'count'), time: sum(members, 'time'), own: sum(members, 'own') },
    ...{ passes: sum(members, 'passes'), host: sum(members, 'host'), hostSelf: sum(members, 'hostSelf') },
  };
}

/** Kinds in the order of their first annotations. */
export function annotationKinds(shown: readonly Annotation[]): AnnotationKind[] {
  const kinds = new Map<string, ListedAnnotation[]>();
  shown.forEach((annotation, at) =>
    entryOf(kinds, withoutNumbers(annotation.text), () => []).push({ ...annotation, at }),
  );
  return [...kinds.values()].map(kindOf);
}
