/**
 * Codes of the Itanium C++ ABI, §5.1 "External Names (a.k.a. Mangling)": https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
 * Spellings are those of GNU c++filt, which PyProf's reports used.
 */
import { named, type LiteralStyle, type Node } from './mangled-node.js';

const builtin = (text: string, literal: LiteralStyle = 'cast'): Node => ({ kind: 'builtin', text, literal });

/** <builtin-type> of one letter. */
export const BUILTIN_TYPES: ReadonlyMap<string, Node> = new Map([
  ['a', builtin('signed char')],
  ['b', builtin('bool', 'bool')],
  ['c', builtin('char')],
  ['d', builtin('double', 'float')],
  ['e', builtin('long double', 'float')],
  ['f', builtin('float', 'float')],
  ['g', builtin('__float128', 'float')],
  ['h', builtin('unsigned char')],
  ['i', builtin('int', { suffix: '' })],
  ['j', builtin('unsigned int', { suffix: 'u' })],
  ['l', builtin('long', { suffix: 'l' })],
  ['m', builtin('unsigned long', { suffix: 'ul' })],
  ['n', builtin('__int128')],
  ['o', builtin('unsigned __int128')],
  ['s', builtin('short')],
  ['t', builtin('unsigned short')],
  ['v', builtin('void')],
  ['w', builtin('wchar_t')],
  ['x', builtin('long long', { suffix: 'll' })],
  ['y', builtin('unsigned long long', { suffix: 'ull' })],
  ['z', builtin('...')],
]);

/** <builtin-type> of `D` and a letter. */
export const D_BUILTIN_TYPES: ReadonlyMap<string, Node> = new Map([
  ['a', builtin('auto')],
  ['c', builtin('decltype(auto)')],
  ['d', builtin('decimal64')],
  ['e', builtin('decimal128')],
  ['f', builtin('decimal32')],
  ['h', builtin('half', 'float')],
  ['i', builtin('char32_t')],
  ['n', builtin('decltype(nullptr)')],
  ['s', builtin('char16_t')],
  ['u', builtin('char8_t')],
]);

/** <substitution> of `S` and a letter. */
export const STD_NAMES: ReadonlyMap<string, Node> = new Map([
  ['a', named('std::allocator')],
  ['b', named('std::basic_string')],
  ['s', named('std::string')],
  ['i', named('std::istream')],
  ['o', named('std::ostream')],
  ['d', named('std::iostream')],
]);

/** <CV-qualifiers>, in any order. */
export const QUALIFIERS: ReadonlyMap<string, string> = new Map([
  ['r', ' restrict'],
  ['V', ' volatile'],
  ['K', ' const'],
]);

interface OperatorCode {
  readonly text: string;
  /** Form in an expression; null where the operator only names a function. */
  readonly form: 'unary' | 'binary' | 'step' | 'conditional' | 'namedCast' | 'query' | null;
}

const operators = (form: OperatorCode['form'], codes: string): [string, OperatorCode][] =>
  codes
    .trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), { text: entry.slice(3).replace(/_$/, ' '), form }]);

/** <operator-name>: two letters; '_' at the end is a blank. */
export const OPERATORS: ReadonlyMap<string, OperatorCode> = new Map([
  ...operators('unary', 'ad:& co:~ de:* ng:- nt:! ps:+ aw:co_await_'),
  ...operators('step', 'mm:-- pp:++'),
  ...operators('binary', 'aN:&= aS:= aa:&& an:& cm:, dV:/= da:delete[]_ dv:/ eO:^= eo:^ eq:== ge:>= gt:> ix:[]'),
  ...operators('binary', 'lS:<<= le:<= ls:<< lt:< mI:-= mL:*= mi:- ml:* ne:!= oR:|= oo:|| or:| pL:+= pl:+ pm:->*'),
  ...operators('binary', 'rM:%= rS:>>= rm:% rs:>> ss:<=>'),
  ...operators('conditional', 'qu:?'),
  ...operators('namedCast', 'cc:const_cast dc:dynamic_cast rc:reinterpret_cast sc:static_cast'),
  ...operators('query', 'at:alignof_ st:sizeof_ nx:noexcept'),
  ...operators(null, 'cl:() dl:delete_ na:new[] nw:new pt:->'),
]);
