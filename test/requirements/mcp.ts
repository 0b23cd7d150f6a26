import { chapter } from './requirement.ts';

export const mcp = chapter('MCP server', {
  'mcp.endpoint': 'The MCP server is at {base_url}/api/mcp over Streamable HTTP.',
  'mcp.key': 'The key is sent in the Authorization header as for the REST interface.',
  'mcp.compress-image': 'The tool compress_image compresses an image.',
  'mcp.convert-image': 'The tool convert_image converts an image.',
  'mcp.remove-background': 'The tool remove_background removes the background of an image.',
  'mcp.optimize-website': 'The tool optimize_website returns a replacement map.',
  'mcp.get-website-report': 'The tool get_website_report reports on a website.',
  'mcp.get-usage': 'The tool get_usage reports the usage.',
  'mcp.sites.read-only': 'The hosted website tools are read only.',
  'mcp.sites.list-website-scans': 'The tool list_website_scans takes no arguments.',
  'mcp.sites.get-website-scan': 'The tool get_website_scan takes scan_id.',
  'mcp.sites.list-website-pages': 'The tool list_website_pages takes scan_id, status?, search?, offset?, limit?.',
  'mcp.sites.list-website-assets':
    'The tool list_website_assets takes scan_id, kind?, status?, finding?, page?, search?, offset?, limit?.',
  'mcp.sites.get-replacement-mapping': 'The tool get_replacement_mapping takes scan_id, offset?, limit?.',
  'mcp.sites.get-agent-prompt': 'The tool get_agent_prompt takes scan_id, agent?.',
});

export const localMcp = chapter('MCP server: local server', {
  'mcp.local.root': 'The local server is started with a root and reads and writes only inside that folder.',
  'mcp.local.load-replacement-package': 'The tool load_replacement_package takes path or scan_id.',
  'mcp.local.find-references': 'The tool find_references takes package_id?.',
  'mcp.local.preview-replacements': 'The tool preview_replacements takes package_id? and returns plan_id and diff.',
  'mcp.local.apply-replacements': 'The tool apply_replacements takes plan_id and approved: true and returns backup_id.',
  'mcp.local.validate-replacements': 'The tool validate_replacements takes plan_id?.',
  'mcp.local.replacement-report': 'The tool replacement_report takes plan_id?.',
  'mcp.local.rollback': 'The tool rollback takes backup_id? and approved: true.',
  'mcp.local.diff-first': 'Every change is shown as a diff first.',
  'mcp.local.approved': 'Nothing changes without approved: true.',
  'mcp.local.same-session': 'Nothing changes without a plan shown in the same session.',
  'mcp.local.backup': 'Every touched file is backed up.',
  'mcp.local.no-upload': 'Source code is never uploaded.',
});
