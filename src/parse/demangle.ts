export const demangle = (name: string): string | null => (name.startsWith('_Z') ? null : name);
