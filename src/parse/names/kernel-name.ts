/**
 * Kernel names for display: the short form of a demangled name, and names without ABI suffixes.
 *
 * The short form follows PyProf: no return type, no template arguments, no parameters, no `at::`, `cuda::`, `native::`
 * or anonymous namespaces. PyProf cuts the text at certain characters; this module parses the name. It drops namespaces
 * only as whole components (`hnative::` stays) and also drops `<unnamed>`, Nsight's anonymous namespace. It does not
 * take a return type with a template (`std::enable_if<…>::type f<…>`) for the name, or `operator<` for a template. A
 * wrapper whose template argument is the real kernel keeps that argument's short form:
 * `cutlass::Kernel<cutlass_80_simt_sgemm_…>`.
 */

/** Namespaces that do not distinguish kernels. */
const DROPPED: ReadonlySet<string> = new Set(['at', 'cuda', 'native', '(anonymous namespace)', '<unnamed>']);

/** Kernels that only run their first template argument. */
const WRAPPER = /^cutlass\w*::(?:Kernel2?|device_kernel)$|(?:^|::)_kernel_agent$/;

/** Suffix that nvprof and Nsight append to the name of a function's clone. */
const CLONE = / \[clone [^\]]*\]$/;

/** The name shortened for display; a name that is not C++ is returned unchanged. Linear in its length. */
export function shortName(long: string): string {
  if (!/[<(]|::/.test(long)) return long.replace(CLONE, '').replace(/^void /, '');
  const { components, templateAt } = readPath(long);
  const name = displayed(components);
  if (name === '') return long;
  if (templateAt === null || !WRAPPER.test(name)) return name;
  const argument = displayed(readPath(firstArgument(long, templateAt)).components);
  return argument === '' ? name : `${name}<${argument}>`;
}

const displayed = (components: readonly string[]): string =>
  components.filter((component) => !DROPPED.has(component)).join('::');

/**
 * Removes ABI suffixes: `cudaLaunchKernel_v7000` → `cudaLaunchKernel`; `cuMemcpyHtoDAsync_v2_ptsz` → `cuMemcpyHtoDAsync`.
 */
export function stripAbi(api: string): string {
  const parts = api.split('_');
  while (parts.length > 1 && ABI.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('_');
}

const ABI = /^(?:v\d+|ptsz|ptds)$/;

interface Path {
  /** Components of the qualified name, without template arguments. */
  readonly components: readonly string[];
  /** Position of the last component's '<'; null when it has no template arguments. */
  readonly templateAt: number | null;
}

/** Tokens of a name. Operators and anonymous namespaces contain brackets that open nothing. */
const TOKEN =
  /operator ?(?:\(\)|\[\]|<=>|->\*?|<<=?|>>=?|[<>]=?|[^\w\s(<[]+)(?: (?=<))?|\(anonymous namespace\)|<unnamed>|decltype\(|::|\w+|./suy;

/** The qualified name in a declaration, without return type and parameters. */
function readPath(declaration: string): Path {
  let components: string[] = [];
  let parts: string[] = [];
  let templateAt: number | null = null;
  const next = (): void => {
    if (parts.length > 0) components.push(parts.join(''));
    parts = [];
  };
  for (let at = 0; at < declaration.length;) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(declaration) as RegExpExecArray;
    if (token === '(') break;
    if (token === '::') {
      next();
      templateAt = null;
    } else if (token === ' ') {
      // Everything before this was a return type: `void f`, `unsigned int f`.
      [components, parts, templateAt] = [[], [], null];
    } else if (token === '<') {
      templateAt = at;
    } else {
      parts.push(token.trimEnd());
    }
    const opens = token === 'decltype(' || (token.length === 1 && OPENING.has(token));
    at = opens ? closing(declaration, at + token.length - 1) + 1 : at + token.length;
  }
  next();
  return { components, templateAt };
}

const OPENING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['<', '>'],
  ['[', ']'],
  ['{', '}'],
]);

/** Position of the bracket that closes the one at `open`; the text's length when none does. */
function closing(text: string, open: number): number {
  const expected: string[] = [];
  for (let at = open; at < text.length; at++) {
    const character = text.charAt(at);
    const close = OPENING.get(character);
    if (close !== undefined) expected.push(close);
    else if (character === '>') {
      // Inside parentheses, this character is an operator.
      if (expected.at(-1) === '>' && text.charAt(at - 1) !== '-') expected.pop();
    } else if (character === ')' || character === ']' || character === '}') {
      // A '<' that is still open here was an operator.
      while (expected.length > 1 && expected.at(-1) === '>') expected.pop();
      if (expected.at(-1) === character) expected.pop();
    }
    if (expected.length === 0) return at;
  }
  return text.length;
}

/** Text of the first template argument after the '<' at `open`. */
function firstArgument(text: string, open: number): string {
  let at = open + 1;
  while (at < text.length && text[at] !== ',' && text[at] !== '>') {
    at = OPENING.has(text.charAt(at)) ? closing(text, at) + 1 : at + 1;
  }
  return text.slice(open + 1, at).trim();
}
