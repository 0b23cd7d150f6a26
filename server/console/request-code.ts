/**
 * Writes a request as code for curl, JavaScript and Python. The key comes from the environment variable KEY. Imports
 * nothing: both the console and the documentation use it.
 */

export interface RequestForm {
  /** Address of the service, without a trailing slash. */
  address: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string | number | boolean>>;
  /** Name of the file to send: as the body, or as the part `image` if there are other parts. */
  file?: string;
  /** Other parts of the form: texts, or files by name. */
  parts?: Readonly<Record<string, string | { file: string }>>;
  json?: unknown;
  /** Name of the file that receives the response. Without it, the response is JSON and is printed. */
  result?: string | undefined;
}

type Part = [name: string, value: string | { file: string }];

/** Returns the address with its query. */
export function addressOf({ address, path, query = {} }: RequestForm): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  // These characters are valid in a query without encoding (RFC 3986, section 3.4), and easier to read.
  const readable = search.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/').replaceAll('+', '%20');
  return `${address}${path}${readable && `?${readable}`}`;
}

function partsOf({ file, parts }: RequestForm): Part[] | undefined {
  if (!parts) return undefined;
  return [...(file === undefined ? [] : ([['image', { file }]] as Part[])), ...Object.entries(parts)];
}

/** Single quotes remove the special meaning of every character in a shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** File names come from users, so names with special characters are quoted. */
const shellWord = (text: string): string => (/^[\w@=./-]+$/.test(text) ? text : shellQuoted(text));
/** In a form field of curl, a comma or a semicolon ends the file name, so such names are quoted. */
const formFile = (name: string): string => (/[,;"\\]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name);
/** With `-F`, curl reads text after a semicolon as a type, and a value with one of these first characters as a file. */
const formOption = (text: string): string => (/^[@<"]|;/.test(text) ? '--form-string' : '-F');
const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

export function toCurl(form: RequestForm): string {
  const parts = partsOf(form);
  const { method, file, json, result } = form;
  const body = parts
    ? parts.map(([name, value]) =>
        typeof value === 'string'
          ? `${formOption(value)} ${shellQuoted(`${name}=${value}`)}`
          : `-F ${shellWord(`${name}=@${formFile(value.file)}`)}`,
      )
    : file !== undefined
      ? [`--data-binary ${shellWord(`@${file}`)}`]
      : json !== undefined
        ? ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(json))}`]
        : [];
  const usual = body.length > 0 ? 'POST' : 'GET';
  return [
    `curl --fail-with-body ${method === usual ? '' : `-X ${method} `}-H "Authorization: Bearer $KEY"`,
    ...body,
    `"${addressOf(form)}"${result === undefined ? '' : ` -o ${shellWord(result)}`}`,
  ].join(' \\\n  ');
}

export function toJavaScript(form: RequestForm): string {
  const parts = partsOf(form);
  const { method, file, json, result } = form;
  const files = parts?.some(([, value]) => typeof value !== 'string');
  const names = [...(files ? ['openAsBlob'] : [])];
  const promised = [
    ...(file !== undefined && !parts ? ['readFile'] : []),
    ...(result === undefined ? [] : ['writeFile']),
  ];
  const imports = [
    ...(names.length > 0 ? [`import { ${names.join(', ')} } from 'node:fs';`] : []),
    ...(promised.length > 0 ? [`import { ${promised.join(', ')} } from 'node:fs/promises';`] : []),
  ];
  const form_ = parts?.map(([name, value]) =>
    typeof value === 'string'
      ? `form.set('${name}', ${quoted(value)});`
      : `form.set('${name}', await openAsBlob(${quoted(value.file)}), ${quoted(value.file)});`,
  );
  const body = parts
    ? '  body: form,'
    : file !== undefined
      ? `  body: await readFile(${quoted(file)}),`
      : json === undefined
        ? ''
        : `  body: JSON.stringify(${JSON.stringify(json)}),`;
  const type = json === undefined ? '' : ", 'Content-Type': 'application/json'";
  return [
    ...imports,
    ...(imports.length > 0 ? [''] : []),
    ...(form_ ? ['const form = new FormData();', ...form_] : []),
    `const answer = await fetch(${quoted(addressOf(form))}, {`,
    `  method: '${method}',`,
    `  headers: { Authorization: \`Bearer \${process.env.KEY}\`${type} },`,
    ...(body ? [body] : []),
    '});',
    'if (!answer.ok) throw new Error(await answer.text());',
    result === undefined ? 'console.log(await answer.json());' : `await writeFile(${quoted(result)}, answer.body);`,
  ].join('\n');
}

export function toPython(form: RequestForm): string {
  const parts = partsOf(form);
  const { method, path, address, query = {}, file, json, result } = form;
  const value = (given: string | number | boolean) =>
    typeof given === 'string' ? JSON.stringify(given) : typeof given === 'number' ? String(given) : `"${given}"`;
  const params = Object.entries(query).map(([name, given]) => `"${name}": ${value(given)}`);
  const files = parts?.map(([name, given]) =>
    typeof given === 'string'
      ? `        "${name}": (None, ${JSON.stringify(given)}),`
      : `        "${name}": open(${JSON.stringify(given.file)}, "rb"),`,
  );
  return [
    'import os',
    '',
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    "${address}${path}",`,
    ...(params.length > 0 ? [`    params={${params.join(', ')}},`] : []),
    `    headers={"Authorization": f"Bearer {os.environ['KEY']}"},`,
    ...(files
      ? ['    files={', ...files, '    },']
      : file === undefined
        ? []
        : [`    data=open(${JSON.stringify(file)}, "rb"),`]),
    ...(json === undefined ? [] : [`    json=${pythonValue(json)},`]),
    ')',
    'answer.raise_for_status()',
    result === undefined ? 'print(answer.json())' : `open(${JSON.stringify(result)}, "wb").write(answer.content)`,
  ].join('\n');
}

function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}: ${pythonValue(item)}`)
    .join(', ')}}`;
}
