// SPDX-License-Identifier: Apache-2.0
// The SDK's own client against ttmem, over stdin and over HTTP: client.mjs NODE_MODULES TTMEM URL LOG
import { dirname } from 'node:path';

const [tools, ttmem, url, log] = process.argv.slice(2);
const sdk = `${tools}/@modelcontextprotocol/sdk/dist/esm/client`;
const { Client } = await import(`${sdk}/index.js`);
const { StdioClientTransport } = await import(`${sdk}/stdio.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/streamableHttp.js`);

for (const transport of [
    new StdioClientTransport({ command: ttmem, args: ['mcp', '--root', dirname(log)] }),
    new StreamableHTTPClientTransport(new URL(url)),
]) {
    const client = new Client({ name: 'ttmem-test', version: '1' });
    await client.connect(transport);
    const { tools: listed } = await client.listTools();
    if (listed.length < 7 || listed.length > 10) throw new Error(`${listed.length} tools`);
    const result = await client.callTool({ name: 'ttmem_summary', arguments: { run: log } });
    if (result.isError || result.structuredContent.records !== 494) throw new Error(JSON.stringify(result));
    await client.close();
}
