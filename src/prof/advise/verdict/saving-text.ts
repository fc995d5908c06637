/** What a remedy could save, by the gains of a rule. */
import { percent } from '../amount-text.js';
import type { VerdictFacts } from './verdict-facts.js';

/** Share of the span: less is not spoken of. */
const LEAST = 0.05;

/** `; a graph could save at most 33 %`; '' for little. */
export function savingText({ findings, span }: VerdictFacts, rule: string, remedy: string): string {
  const gain = findings.reduce((sum, finding) => sum + (finding.rule === rule ? (finding.gain?.ns ?? 0) : 0), 0);
  return gain / span >= LEAST ? `; ${remedy} could save at most ${percent(gain / span)}` : '';
}
