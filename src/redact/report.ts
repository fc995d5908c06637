/** What a redaction replaced, kept and left out: counts only, never texts of the profile. */
import { REASONS, type TextKind, type TextRules } from './texts.js';

export interface RedactionReport {
  /** Occurrences of texts by kind. */
  readonly texts: readonly {
    readonly kind: TextKind;
    readonly replaced: number;
    readonly kept: number;
    /** Different texts among these. */
    readonly distinct: { readonly replaced: number; readonly kept: number };
    /** Why texts of the kind are kept. */
    readonly reason: string;
  }[];
  /** Number of distinct texts that have a pseudonym, by kind of pseudonym. */
  readonly pseudonyms: Readonly<Record<string, number>>;
  /** What was left out, and how often. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** Values of `--keep`, by the kind that they keep. */
const ASKED: Readonly<Partial<Record<TextKind, 'layers' | 'ranges' | 'sources'>>> = {
  ...{ layer: 'layers', range: 'ranges', frame: 'sources', path: 'sources' },
};

export function reportOf({ counts, pseudonyms, dropped, options }: TextRules): RedactionReport {
  const texts = [...counts].map(([kind, count]) => {
    const asked = ASKED[kind];
    const reason = asked !== undefined && options.keep.has(asked) ? `--keep ${asked}` : REASONS[kind];
    return { kind, ...count, reason };
  });
  const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);
  return {
    texts: texts.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    pseudonyms: Object.fromEntries([...pseudonyms.counts].sort(byName)),
    dropped: Object.fromEntries([...dropped].sort(byName)),
  };
}

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** Longest line in characters, because messages show only the beginning of longer ones. */
const LONGEST_LINE = 300;

/** `kept: …`, over several lines if need be. */
function labelled(label: string, parts: readonly string[], otherwise: string): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = `${last}, ${part}`;
    if (last === undefined || joined.length > LONGEST_LINE) lines.push(`${label}: ${part}`);
    else lines[lines.length - 1] = joined;
  }
  return lines.length === 0 ? [`${label}: ${otherwise}`] : lines;
}

/** The report as lines of text. */
export function reportLines({ texts, pseudonyms, dropped }: RedactionReport): string[] {
  const [replaced, kept] = [texts.filter((kind) => kind.replaced > 0), texts.filter((kind) => kind.kept > 0)];
  const lines = [
    ...labelled('replaced', replaced.map(({ kind, replaced: count, distinct }) => `${kind} ${count} (${distinct.replaced} distinct)`), 'nothing'), // prettier-ignore
    `pseudonyms: ${listed(pseudonyms) || 'none'}`,
    ...labelled('kept', kept.map(({ kind, kept: count, distinct, reason }) => `${kind} ${count} (${distinct.kept} distinct: ${reason})`), 'nothing'), // prettier-ignore
  ];
  return Object.keys(dropped).length === 0 ? lines : [...lines, `left out: ${listed(dropped)}`];
}
