/**
 * Codes of the Itanium C++ ABI, §5.1 "External Names (a.k.a. Mangling)": https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
 * Spellings are those of GNU c++filt, which PyProf's reports used.
 */
import { named, type LiteralStyle, type Node } from './mangled-node.js';

/** `c:char, s:short`: letters and what they stand for. */
const coded = <T>(codes: string, make: (text: string) => T): [string, T][] =>
  codes.split(', ').map((entry) => [entry.charAt(0), make(entry.slice(2))]);

const builtins = (literal: LiteralStyle, codes: string): [string, Node][] =>
  coded(codes, (text) => ({ kind: 'builtin', text, literal }));

/** <builtin-type> of one letter. */
export const BUILTIN_TYPES: ReadonlyMap<string, Node> = new Map([
  ...builtins('cast', 'a:signed char, c:char, h:unsigned char, s:short, t:unsigned short, w:wchar_t'),
  ...builtins('cast', 'n:__int128, o:unsigned __int128, v:void, z:...'),
  ...builtins('bool', 'b:bool'),
  ...builtins('float', 'd:double, e:long double, f:float, g:__float128'),
  ...builtins({ suffix: '' }, 'i:int'),
  ...builtins({ suffix: 'u' }, 'j:unsigned int'),
  ...builtins({ suffix: 'l' }, 'l:long'),
  ...builtins({ suffix: 'ul' }, 'm:unsigned long'),
  ...builtins({ suffix: 'll' }, 'x:long long'),
  ...builtins({ suffix: 'ull' }, 'y:unsigned long long'),
]);

/** <builtin-type> of `D` and a letter. */
export const D_BUILTIN_TYPES: ReadonlyMap<string, Node> = new Map([
  ...builtins('cast', 'a:auto, c:decltype(auto), d:decimal64, e:decimal128, f:decimal32'),
  ...builtins('cast', 'i:char32_t, n:decltype(nullptr), s:char16_t, u:char8_t'),
  ...builtins('float', 'h:half'),
]);

/** <substitution> of `S` and a letter. */
export const STD_NAMES: ReadonlyMap<string, Node> = new Map(
  coded('a:allocator, b:basic_string, s:string, i:istream, o:ostream, d:iostream', (text) => named(`std::${text}`)),
);

/** <CV-qualifiers>, in any order. */
export const QUALIFIERS: ReadonlyMap<string, string> = new Map(
  coded('r:restrict, V:volatile, K:const', (text) => ` ${text}`),
);

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
