/**
 * Parses names of ranges that mark a step: an iteration of a training loop, or one pass of a model server.
 *
 * Names of steps of language model servers state which requests a pass of the model works on, and their lengths.
 *
 * Source: vLLM (gpu_model_runner.py), SGLang (srt/model_executor: names of the step's range, with `detailed_annotations`
 * sums of lengths), ATOM (atom/model_engine/run_labels.py). The forms: `execute_context_1(30)_generation_2(2)`,
 * `execute_45_context_1(sq43sk43sqsq1849sqsk1849)_generation_2(sq2sk90sqsq2sqsk90)`, `execute_new_1_cached_2`,
 * `execute_diffusion_…`, `gpu_model_runner: forward` (vLLM's scopes, which say nothing about requests), `step[EXTEND bs=1
 * toks=512 c_sq=512 …]`, `step[DECODE bs=32 g_sq=32 …]`, `step[MIXED bs=3 c=1 g=2 …]`, `prefill[bs=1 tok=512 ctx=512 sqsq=…
 * sqsk=… sk=…]`, `decode[bs=30/32 tok=30 d=30 …]`. TensorRT-LLM (pyexecutor/py_executor.py, trtGptModelInflightBatching.cpp;
 * its NVTX domain is in front): `[Executor] _forward_step 7: 1 ctx reqs, 300 ctx tokens, 5 gen reqs`, `executeStep: 1 ctx
 * reqs, 5 gen reqs`. vLLM on TPUs (tpu_inference/runner/tpu_runner.py): `execute_model: 2 reqs, 9 toks`, with the requests as
 * metadata of JAX.
 */

/** Sums over the sequences of a batch; each sequence has q new positions (queries) and k positions in total (keys). */
export interface LengthSums {
  /** Σ q */
  readonly queries: number;
  /** Σ k */
  readonly keys: number;
  /** Σ q² */
  readonly squares: number;
  /** Σ q·k: query-key pairs. */
  readonly pairs: number;
}

/** Requests of one phase in a step. A value is null when the name does not state it. */
export interface ServedPart {
  readonly requests: number | null;
  /** New positions of all requests together. */
  readonly tokens: number | null;
  readonly lengths: LengthSums | null;
}

/** `prefill`: all requests process their prompts; `decode`: all generate; `mixed`: some of each. */
export type ServingPhase = 'prefill' | 'decode' | 'mixed';

/** Facts in the name of a server's step; missing ones are null. */
export interface ServingStep {
  readonly phase: ServingPhase | null;
  /** Number of requests, without the padding of a captured graph's batch. */
  readonly batch: number | null;
  readonly tokens: number | null;
  /** Requests that process their prompt, or a part of it. */
  readonly context: ServedPart;
  /** Requests that generate tokens. */
  readonly generation: ServedPart;
  /** Sums over all requests. */
  readonly lengths: LengthSums | null;
}

/** Beginnings of the names. */
export const SERVING_STEP_BEGINNINGS = [
  'execute_',
  'step[',
  'prefill[',
  'decode[',
  'eager_decode[',
  'gpu_model_runner: ',
  'v2_gpu_model_runner: ',
  'TensorRT-LLM:',
  '[Executor] _forward_step ',
  '_forward_step: ',
  'executeStep: ',
  'execute_model: ',
] as const;

type Parts = Pick<ServingStep, 'context' | 'generation'> & Partial<ServingStep>;

/** A form of name. Its reader returns `null` when the text has the form but says nothing about requests. */
interface Form {
  readonly pattern: RegExp;
  readonly read: (match: readonly string[]) => Parts | null;
}

const NOBODY: ServedPart = {
  requests: 0,
  tokens: 0,
  lengths: { queries: 0, keys: 0, squares: 0, pairs: 0 },
};
const UNKNOWN_PART: ServedPart = { requests: null, tokens: null, lengths: null };
const UNKNOWN_PARTS: Parts = { context: UNKNOWN_PART, generation: UNKNOWN_PART };

function count(text: string | undefined): number | null {
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : null;
}

type Count = number | null | undefined;

function lengthSums(queries: Count, keys: Count, squares: Count, pairs: Count): LengthSums | null {
  if (typeof queries !== 'number' || typeof keys !== 'number') return null;
  return typeof squares !== 'number' || typeof pairs !== 'number' ? null : { queries, keys, squares, pairs };
}

/**
 * Reads a part of vLLM's name: the number of requests, and the text in parentheses, `30`, `30_900` (whose second number
 * does not give the number of keys) or `sq43sk43sqsq1849sqsk1849`.
 */
function executedPart(requests: string | undefined, text: string | undefined): ServedPart {
  const number = count(requests);
  if (number === 0) return NOBODY;
  const [, ...sums] = /^sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)$/.exec(text ?? '') ?? [];
  const [queries, keys, squares, pairs] = sums.map(count);
  return {
    requests: number,
    tokens: count(FIRST_NUMBER.exec(text ?? '')?.[0]) ?? queries ?? null,
    lengths: lengthSums(queries, keys, squares, pairs),
  };
}

const countedPart = (requests: number | null, tokens: number | null): ServedPart =>
  requests === 0 ? NOBODY : { requests, tokens, lengths: null };

/** Parses `bs=32 g_sq=32` into values by key. Lists of lengths, `ctx=[7, 8]`, are cut off. */
const fieldsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(' ').map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]));

type Fields = (key: string) => number | null;

/** In `30/32`, the first number is the number of requests; the second is the padded size of the graph. */
const FIRST_NUMBER = /^\d+/;

function countsOf(text: string): Fields {
  const fields = fieldsOf(text);
  return (key) => count(FIRST_NUMBER.exec(fields.get(key) ?? '')?.[0]);
}

/** Requests of one phase from SGLang's fields. @param prefix `c_` or `g_` @param tokens used when no field states them */
function steppedPart(field: Fields, prefix: string, requests: number | null, tokens: number | null): ServedPart {
  const queries = field(`${prefix}sq`) ?? tokens;
  const sums = lengthSums(queries, field(`${prefix}sk`), field(`${prefix}sqsq`), field(`${prefix}sqsk`));
  return requests === 0 ? NOBODY : { requests, tokens: queries, lengths: sums };
}

/** SGLang's forward modes. Requests that verify speculated tokens or catch up with them are part of generation. */
const MODES: Readonly<Record<string, (field: Fields) => Parts>> = {
  EXTEND: prompts,
  SPLIT_PREFILL: prompts,
  DLLM_EXTEND: prompts,
  DECODE: (field) => ({ context: NOBODY, generation: steppedPart(field, 'g_', field('bs'), field('bs')) }),
  TARGET_VERIFY: (field) => ({ context: NOBODY, generation: steppedPart(field, 'g_', field('bs'), null) }),
  DRAFT_EXTEND: catchingUp,
  DRAFT_EXTEND_V2: catchingUp,
  MIXED: (field) => ({
    context: steppedPart(field, 'c_', field('c'), null),
    generation: steppedPart(field, 'g_', field('g'), null),
    batch: field('bs'),
    ...(field('c') === null || field('g') === null ? { phase: 'mixed' } : undefined),
  }),
};

function prompts(field: Fields): Parts {
  return { context: steppedPart(field, 'c_', field('bs'), field('toks')), generation: NOBODY };
}

function catchingUp(field: Fields): Parts {
  return { context: NOBODY, generation: steppedPart(field, 'c_', field('bs'), null) };
}

/** ATOM's batch: all of it in one phase, or a decode pass with some prompts (`p`). */
function atomParts(kind: string, field: Fields): Parts {
  const [batch, tokens, prompted] = [field('bs'), field('tok'), field('p') ?? 0];
  const lengths = lengthSums(tokens, field('sk'), field('sqsq'), field('sqsk'));
  const all = { requests: batch, tokens, lengths };
  if (kind === 'prefill') return { context: all, generation: NOBODY };
  if (prompted === 0) return { context: NOBODY, generation: all };
  const partOf = (requests: number | null): ServedPart => ({ requests, tokens: null, lengths: null });
  return { context: partOf(prompted), generation: partOf(field('d')), batch, tokens, lengths };
}

const FORMS: readonly Form[] = [
  {
    pattern: /^execute_(?:\d{1,12}_)?context_(\d{1,12})\(([^()]*)\)_generation_(\d{1,12})\(([^()]*)\)$/,
    read: ([, requests, context, generating, generation]) => ({
      context: executedPart(requests, context),
      generation: executedPart(generating, generation),
    }),
  },
  {
    // Cached requests may still be processing their prompts.
    pattern: /^execute_new_(\d{1,12})_cached_(\d{1,12})$/,
    read: ([, added, known]) => ({ ...UNKNOWN_PARTS, batch: sum(count(added), count(known)) }),
  },
  { pattern: /^execute_diffusion_\w+$|^(?:v2_)?gpu_model_runner: forward$/, read: () => UNKNOWN_PARTS },
  {
    pattern: /^step\[([A-Z]\w*)( [^[\]]*)?\]$/,
    read: ([, mode = '', fields = '']) =>
      Object.hasOwn(MODES, mode) ? (MODES[mode]?.(countsOf(fields)) ?? null) : null,
  },
  {
    // Speculative decoding generates several tokens, but the name does not give their number.
    pattern:
      /^(?:TensorRT-LLM:)?(?:\[Executor\] _forward_step \d{1,12}|_forward_step|executeStep): (\d{1,12}) ctx reqs, (?:(\d{1,12}) ctx tokens, )?(\d{1,12}) gen reqs$/,
    read: ([, requests, tokens, generating]) => ({
      context: countedPart(count(requests), count(tokens)),
      generation: countedPart(count(generating), null),
    }),
  },
  {
    pattern: /^execute_model: (\d{1,12}) reqs, (\d{1,12}) toks$/,
    read: ([, requests, tokens]) => ({ ...UNKNOWN_PARTS, batch: count(requests), tokens: count(tokens) }),
  },
  { pattern: /^(prefill)\[(bs=.*)\]$/, read: ([, kind = '', fields = '']) => atomParts(kind, countsOf(fields)) },
  {
    pattern: /^(?:eager_)?(decode)\[(bs=.*)\]$/,
    read: ([, kind = '', fields = '']) => atomParts(kind, countsOf(fields)),
  },
];

/** Longer strings are not names of steps. */
const LONGEST_NAME = 300;

/** Where metadata with the ids of requests begins, in JAX's form: `#request_id1=cmpl-7,request_id2=cmpl-9#`. */
const REQUESTS_BEGIN = '#request_id1=';

/** The name of a step without the ids of its requests. */
export function withoutRequests(text: string): string {
  const at = text.indexOf(REQUESTS_BEGIN);
  return at === -1 ? text : text.slice(0, at);
}

/** Appends ids of requests in the form that `readRequests` reads. */
export const withRequests = (name: string, ids: readonly string[]): string =>
  ids.length === 0 ? name : `${name}#${ids.map((id, i) => `request_id${i + 1}=${id}`).join(',')}#`;

const REQUEST_IN_METADATA = /[#,]request_id\d{1,6}=([^,#]{1,200})(?=[,#])/g;
/** A range of one request: `request_12`, `req 7f3a01`, `Req_3_Prefill`, `request.warmup.2`. */
const REQUEST_RANGE =
  /^(?:[\w-]{1,60}:)?req(?:uest)?(?:[ _.:=#-]{1,3}id)?[ _.:=#-]{1,3}([\w.-]{0,200}\d[\w.-]{0,200})$/i;
const PHASE_OF_REQUEST = /[_.-](?:prefill|decode)$/i;

/** The ids of the requests that a range works on, each once; none for a range that names no request. */
export function readRequests(text: string): readonly string[] {
  const at = text.indexOf(REQUESTS_BEGIN);
  if (at !== -1) return [...new Set(Array.from(text.slice(at).matchAll(REQUEST_IN_METADATA), ([, id = '']) => id))];
  const id = text.length > LONGEST_NAME ? undefined : REQUEST_RANGE.exec(text)?.[1];
  return id === undefined ? [] : [id.replace(PHASE_OF_REQUEST, '')];
}

/** Reads the name of a server's step; null for any other text. */
export function readServingStep(text: string): ServingStep | null {
  const name = withoutRequests(text);
  if (name.length > LONGEST_NAME) return null;
  for (const { pattern, read } of FORMS) {
    const match = pattern.exec(name);
    if (match !== null) return withTotals(read(match) ?? UNKNOWN_PARTS);
  }
  return null;
}

function withTotals({ context, generation, ...given }: Parts): ServingStep {
  return {
    phase: given.phase ?? phaseOf(context.requests, generation.requests),
    batch: given.batch ?? sum(context.requests, generation.requests),
    tokens: given.tokens ?? sum(context.tokens, generation.tokens),
    context,
    generation,
    lengths: given.lengths ?? sumOfLengths(context.lengths, generation.lengths),
  };
}

function phaseOf(context: number | null, generation: number | null): ServingPhase | null {
  if (context === null || generation === null || context + generation === 0) return null;
  if (generation === 0) return 'prefill';
  return context === 0 ? 'decode' : 'mixed';
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

function sumOfLengths(a: LengthSums | null, b: LengthSums | null): LengthSums | null {
  if (a === null || b === null) return null;
  return {
    queries: a.queries + b.queries,
    keys: a.keys + b.keys,
    squares: a.squares + b.squares,
    pairs: a.pairs + b.pairs,
  };
}

/**
 * Finds the server step that host ranges belong to: that of the innermost range that names one. If it states no
 * lengths, those of an enclosing range that states the same requests are used.
 * @param texts names of the ranges, outermost first
 * @param read reads a name, as `readServingStep` does
 */
export function servingStepAround(texts: readonly string[], read = readServingStep): ServingStep | null {
  let found: ServingStep | null = null;
  for (let i = texts.length - 1; i >= 0; i--) {
    const step = read(texts[i] ?? '');
    if (step === null) continue;
    if (found === null) found = step;
    else if (step.lengths !== null && step.phase === found.phase && step.batch === found.batch) return step;
    if (found.lengths !== null) return found;
  }
  return found;
}

/** Facts in the name of a step. */
export interface StepName {
  /** Null when the name has no number. */
  readonly number: number | null;
}

/** Longer strings are not names of steps. */
const LONGEST_STEP_NAME = 300;

const NAMES: readonly RegExp[] = [
  // PyTorch's profiler.
  /^ProfilerStep#(\d{1,12})$/,
  // StepTraceAnnotation of JAX: `train#step_num=3#`.
  /^[^#]{1,200}#step_num=(\d{1,12})#$/,
  // Matches names that programs give: `step 3`, `train_step_3`, `iteration: 7`, `iter`.
  /^(?:train(?:ing)?[ _])?(?:step|iteration|iter)[ _:#]{0,2}(\d{1,12})$/i,
  /^(?:iteration|iter|train(?:ing)?[ _]step)$/i,
];

/** All names of steps begin with one of these, in any letter case, so that a database query can filter by them. */
export const STEP_NAME_BEGINNINGS = ['profilerstep#', 'step', 'train', 'iter', ...SERVING_STEP_BEGINNINGS] as const;

/** Reads the name of a step; null for any other text. */
export function readStepName(marked: string): StepName | null {
  const text = withoutRequests(marked);
  if (text.length > LONGEST_STEP_NAME) return null;
  for (const pattern of NAMES) {
    const match = pattern.exec(text);
    if (match !== null) return { number: match[1] === undefined ? null : Number(match[1]) };
  }
  return readServingStep(text) === null ? null : { number: null };
}
