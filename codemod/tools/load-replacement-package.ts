import { isAbsolute, posix, relative, sep } from 'node:path';
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { Failure } from '../../base/failure.ts';
import { type Call, tool } from '../../mcp/tool.ts';
import { unfinishedBackups } from '../apply/backup.ts';
import type { LocalContext } from '../context.ts';
import { Staging } from '../files.ts';
import { downloadPackage } from '../package/download.ts';
import { type LoadedPackage, loadPackage } from '../package/load.ts';
import { outsideRoot, type ProjectRoot } from '../project/root.ts';

const input = z.object({
  path: described(
    z.string().min(1).max(4096).optional(),
    'ZIP file or folder, relative to the root of the project.',
    'imagecrew-package.zip',
  ),
  scan_id: z
    .string()
    .regex(/^(?:scan|opt)_[0-9A-Z]{26}$/)
    .optional()
    .meta({ description: 'Downloads the package of this scan.', 'x-form': 'the id of a scan' }),
});

const output = z.object({
  package_id: z.string(),
  scan_id: z.string(),
  domain: z.string(),
  replacements: z.int(),
  files: z.int(),
  bytes: z.int(),
  sha256_ok: z.boolean(),
  warnings: z.array(z.string()),
});

export const loadReplacementPackage = tool<LocalContext, typeof input, typeof output>({
  name: 'load_replacement_package',
  title: 'Load a replacement package',
  description:
    'Takes the package of a website scan into .ic/packages and checks every file of it. Give scan_id to download it from the service (needs IC_API_KEY; this is the only use of the network), or path for a ZIP or unpacked folder inside the project. Changes no source. Next: find_references or preview_replacements.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ path, scan_id: scanId }, context, call) {
    if ((path === undefined) === (scanId === undefined)) {
      throw new Failure('invalid_parameter', 'Expected either path or scan_id.', { param: 'path' });
    }
    const loaded =
      scanId === undefined ? await fromPath(context.root, path!, call) : await fromService(context, scanId, call);
    const { package: own, files, bytes } = loaded;
    context.addPackage(own);
    await context.log({ tool: 'load_replacement_package', package_id: own.id, files, bytes });
    const unfinished = await unfinishedBackups(context.root);
    const warnings = [
      ...loaded.warnings,
      ...unfinished.map((id) => `An apply was interrupted: rollback with backup_id ${id} takes it back.`),
    ];
    return {
      structured: {
        package_id: own.id,
        scan_id: own.scanId,
        domain: own.domain,
        replacements: own.lines.length,
        files,
        bytes,
        sha256_ok: true,
        warnings,
      },
      text: `The package of ${own.domain} is loaded. Next: find_references or preview_replacements.`,
    };
  },
});

const fromPath = async (root: ProjectRoot, path: string, call: Call): Promise<LoadedPackage> =>
  await loadPackage(root, projectPath(root, path), call);

/** Normalizes a path: `./`, a trailing slash or an absolute path are allowed. @throws Failure `path_outside_root` */
function projectPath(root: ProjectRoot, path: string): string {
  const asked = isAbsolute(path) ? relative(root.path, path) : path;
  const plain = posix.normalize(asked.split(sep).join('/')).replace(/\/$/, '');
  if (plain === '.' || plain === '..' || plain.startsWith('../') || isAbsolute(plain)) throw outsideRoot(path);
  return plain;
}

/** Downloads the package to disk first, because the ZIP directory is at the end of the file. */
const fromService = async ({ root, service }: LocalContext, scanId: string, call: Call): Promise<LoadedPackage> =>
  await Staging.use(root, async (staging) => {
    const { staged } = await downloadPackage(service, scanId, call.signal, (chunks) => staging.write(chunks));
    return await loadPackage(root, staging.pathOf(staged), call);
  });
