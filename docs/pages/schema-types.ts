/** The types of which schemas are made by npm run docs: documents of answers, and parts of their envelope. */
import type { AnswerInput } from '../../src/cli/answer-document.js';
import type { MetricsDocument } from '../../src/cli/commands/summary/vendor-document.js';
import type { AdviceLine } from '../../src/prof/advise/adviser.js';
import type { Limit } from '../../src/prof/limits.js';
import type { CheckDocument } from '../../src/prof/check/profile-check.js';
import type { PathDocument } from '../../src/prof/critical-path/critical-path.js';
import type { ComparisonDocument } from '../../src/prof/diff/diff-documents.js';
import type { Doubt } from '../../src/prof/input/losses.js';
import type { MemoryDocument } from '../../src/prof/memory/memory-report.js';
import type { OverlapDocument } from '../../src/prof/overlap/overlap.js';
import type { RanksDocument } from '../../src/prof/ranks/ranks-document.js';
import type { RankTableName } from '../../src/prof/ranks/tables/tables.js';
import type { SummaryDocument } from '../../src/prof/summary/details.js';
import type { ExplanationDocument } from '../../src/prof/report/explanation.js';
import type { LeftOut } from '../../src/write/shortened-document.js';

export interface SchemaTypes {
  readonly summary: SummaryDocument | MetricsDocument;
  readonly path: PathDocument;
  /** Without the tables, whose schemas are made from their columns. */
  readonly ranks: Omit<RanksDocument, RankTableName>;
  readonly overlap: OverlapDocument;
  readonly memory: MemoryDocument;
  readonly check: CheckDocument;
  readonly advice: AdviceLine;
  readonly comparison: ComparisonDocument;
  readonly explanation: ExplanationDocument;
  readonly input: AnswerInput;
  readonly doubt: Doubt;
  readonly limit: Limit;
  readonly leftOut: LeftOut;
}
