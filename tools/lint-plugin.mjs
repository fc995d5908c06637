/** Rules of ESLint that oxlint has none for: syntax forbidden by a selector. */
import { builtinRules } from 'eslint/use-at-your-own-risk';

export default {
  meta: { name: 'syntax' },
  rules: { 'no-restricted-syntax': builtinRules.get('no-restricted-syntax') },
};
