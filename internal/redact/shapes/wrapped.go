package shapes

import "slices"

// Wrapped returns secrets that are cut by the edge of a window. Most are recognised by the words
// around them.
func Wrapped() []Shape { return slices.Clone(wrapped) }

var wrapped = []Shape{
	{"piped-password", "echo ", "Kf93m" + "QvTz1", " | sudo -S apt update"},
	{"piped-password", "echo \"", "Kf93m" + "QvTz1", "\" | sudo -S apt-get install -y nginx"},
	{"piped-password", "printf '%s\\n' '", "Kf93m" + "QvTz1", "' | sudo -S -k systemctl restart nginx"},
	{"piped-password", "echo '", "Kf93m" + "QvTz1", "' | su - root -c id"},
	{"password", "**Password:** ", "Kf93m" + "QvTz1", ""},
	{"password", "**Password**: ", "Kf93m" + "QvTz1", ""},
	{"password", "- **Password:** `", "Kf93m" + "QvTz1", "`"},
	{"password", "__Password:__ ", "Kf93m" + "QvTz1", ""},
	{"password", "Password: **", "Kf93m" + "QvTz1", "**"},
	{"named-token", "**API key:** ", "x7Kd9" + "3mQvTz1LrPw8YbNcE5hJ2gUsA4f", ""},
	{"named-token", "**Token:** `", "x7Kd9" + "3mQvTz1LrPw8YbNcE5hJ2gUsA4f", "`"},
	{"password-hash", "root:",
		"$6$Zk" + "2LmQ7v$Jq8XkV0mN2bY7cD1eF3gH5iJ7kL9mN1oP3qR5sT7uV9wX1yZ3a5B7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9",
		":19000:0:99999:7:::"},
	{"password-hash", "bob:", "$y$j9" + "T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7",
		":19500:0:99999:7:::"},
	{"password-hash", "", "$2b$1" + "2$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW", ""},
	{"cookie-header", "Cookie: ", "sessi" + "on=eyJ1c2VyIjoxfQ.Zk2LmQ.x7Kd93mQvTz1LrPw8YbNcE5hJ2g; theme=dark", ""},
	{"cookie-header", "Set-Cookie: ", "__Hos" + "t-sid=x7Kd93mQvTz1LrPw8YbNcE5h", "; Path=/; HttpOnly; Secure"},
	{"cookie-header", "\"Cookie\": \"", "conne" + "ct.sid=s%3Ax7Kd93mQvTz1LrPw8Yb.cE5hJ2gUsA4f", "\""},
	{"command-password", "mysql -u root -p", "Kf93m" + "QvTz1", " -e 'show tables'"},
	{"command-password", "mysql -h db -uroot -p", "Kf93m" + "QvTz1", " shop < dump.sql"},
	{"command-password", "mysqldump --all-databases -uroot -p", "Kf93m" + "QvTz1", " > all.sql"},
	{"aws-session-token", "aws_session_token=",
		"FwoGZ" + "XIvYXdzEBYaDKJ7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9FwoGZXIvYXdzEBYaDKJ7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9Zk2L" +
			"mQ7vJq8XkV0mN2bY7cD1eF3gH5iJ7kL9mN1oP3qR5sT7uV9wX1yZ3a5B7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7", ""},
	{"aws-session-token", "export AWS_SESSION_TOKEN=\"",
		"FwoGZ" + "XIvYXdzEBYaDKJ7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9FwoGZXIvYXdzEBYaDKJ7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9Zk2L" +
			"mQ7vJq8XkV0mN2bY7cD1eF3gH5iJ7kL9mN1oP3qR5sT7uV9wX1yZ3a5B7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7", "\""},
	{"aws-session-token", "\"SessionToken\": \"",
		"FwoGZ" + "XIvYXdzEBYaDKJ7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9FwoGZXIvYXdzEBYaDKJ7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7R9Zk2L" +
			"mQ7vJq8XkV0mN2bY7cD1eF3gH5iJ7kL9mN1oP3qR5sT7uV9wX1yZ3a5B7c9D1e3F5g7H9i1J3k5L7m9N1o3P5q7", "\","},
	{"password", "the password is ", "Kf93m" + "QvTz1", ""},
	{"password", "The admin password was ", "Kf93m" + "QvTz1", ""},
	{"password", "password is now: ", "Kf93m" + "QvTz1", ""},
	{"password", "Its password is \"", "Kf93 " + "mQv Tz1", "\""},
	{"password", "your new password: ", "Kf93m" + "QvTz1", ""},
	{"password", "The root password has been set to ", "Kf93m" + "QvTz1", ""},
	{"password", "Use the password ", "Kf93m" + "QvTz1", " to log in"},
	{"password", "A temporary password is generated for root@localhost: ", "Kf93m" + "QvTz1", ""},
	{"private-key", "", "-----" + "BEGIN OPENSSH PRIVATE KEY-----\n" +
		"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" +
		"QyNTUxOQAAACBx7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6Ix7Kd9wAAAJhtVnJbbVZy\nWwAAAAtzc2gtZWQyNTUxOQ==\n" +
		"-----END OPENSSH PRIVATE KEY-----", ""},
	{"netrc-password", "machine api.github.com\n  login bob\n  password ", "Kf93m" + "QvTz1", ""},
	{"netrc-password", "machine api.github.com login bob password ", "Kf93m" + "QvTz1", ""},
	{"generic-api-key", "**client_secret=", "Kf93m" + "QvTz1LrPw8YbNcE5hJ2", "**"},
	{"command-password", "sshpass -p ", "Kf93m" + "QvTz1", " ssh -o StrictHostKeyChecking=no root@10.0.0.5 uptime"},
	{"command-password", "sshpass -p'", "Kf93m" + "QvTz1", "' scp a b@c:"},
	{"telegram-bot-token", "curl https://api.telegram.org/bot", "78960" + "69461:AAUIQfHOJMaidDn87XG3-q-xbMtEPO6Ukzx",
		"/sendMessage"},
	{"url-password", "mongodb+srv://app:", "Kf93m" + "QvTz1", "@cluster0.mongodb.net/shop?retryWrites=true"},
	{"url-password", "export DATABASE_URL=mysql://root:", "Kf93m" + "QvTz1", "@127.0.0.1:3306/shop"},
	{"authorization-header", "curl -H 'Authorization: Bearer ", "x7Kd9" + "3mQvTz1LrPw8YbNcE5hJ2gUsA4f",
		"' https://api.acme.io/v1/users"},
	{"curl-auth-user", "curl -u admin:", "Kf93m" + "QvTz1", " https://acme.io/v1/users"},
	{"service-key", "TRIGGER_KEY ", "prod:" +
		"happy-otter-123|VHluZ3hnY3dVSFlUaFpRM3g5NlUyZ1FGTUMyZWZ4VG84NVByTXFHQlNtOUY3dDVwaTNFZHl4d0JkN", ""},
	{"password", "密码是", "2YhPs" + "IG6H7", ""},
	{"password", "パスワードは", "fyy7R" + "GpO57", ""},
	{"password", "データベースのパスワード：", "fyy7R" + "GpO57", ""},
	{"password", "Новый пароль: ", "fyy7R" + "GpO57", ""},
	{"password", "La contraseña: ", "fyy7R" + "GpO57", ""},
}
